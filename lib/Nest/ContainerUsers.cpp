#include "sdfgc/Nest/ContainerUsers.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

ContainerUsers::ContainerUsers(const SDFG &g) : g_(&g) {
    for (const State *s : allStates(g))
        add(*s);
    analysis::forEachControlRead(g, [this](Name container, const Region &r) { addRead(ownerOf(container), r); });
}

void ContainerUsers::add(const State &s) {
    const ScopeTree scopes(s);
    std::set<Name> used;
    for (const AccessNode *a : nodesOf<AccessNode>(s)) {
        const auto around = scopes.enclosing(a);
        const Node *outermost = around.empty() ? nullptr : around.back();
        const auto [scope, isNew] = users_[a->data].states.try_emplace(&s, outermost);
        if (scope->second != outermost)
            scope->second = nullptr;
        used.insert(a->data);
    }
    for (const Name n : used)
        share(n);
}

void ContainerUsers::addRead(Name container, const Region &r) { ++users_[container].reads[&r]; }

void ContainerUsers::removeRead(Name container, const Region &r) {
    std::map<const Region *, int> &reads = users_[container].reads;
    if (const auto known = reads.find(&r); known != reads.end() && --known->second == 0)
        reads.erase(known);
}

std::set<Name> ContainerUsers::usedIn(const LoopRegion &l) const {
    std::set<Name> out;
    for (const State *s : allStates(static_cast<const Region &>(l)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            out.insert(a->data);
    analysis::forEachControlRead(l, [&out](Name container, const Region &) { out.insert(ownerOf(container)); });
    return out;
}

void ContainerUsers::remove(const LoopRegion &l) {
    std::set<Name> used;
    for (const State *s : allStates(static_cast<const Region &>(l)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            users_[a->data].states.erase(s);
            used.insert(a->data);
        }
    for (const Name n : used)
        share(n);
    analysis::forEachControlRead(l, [&](Name container, const Region &r) { removeRead(ownerOf(container), r); });
    for (const Name n : analysis::containersRead(l, *g_))
        removeRead(ownerOf(n), *l.parent());
}

void ContainerUsers::share(Name container) {
    const DataDesc *d = g_->desc(container);
    const auto &states = users_[container].states;
    if (d && (!states.empty() && (!d->transient || states.size() > 1 || !states.begin()->second)))
        shared_.insert(container);
    else
        shared_.erase(container);
}

bool ContainerUsers::isOnlyInside(Name container, const Region &r) const {
    const auto users = users_.find(container);
    if (users == users_.end() || (users->second.states.empty() && users->second.reads.empty()))
        return false;
    const auto isInside = [&r](const Region *user) {
        while (user && user != &r)
            user = user->parent();
        return user != nullptr;
    };
    return std::all_of(users->second.states.begin(), users->second.states.end(),
                       [&](const auto &user) { return isInside(user.first->parent()); }) &&
           std::all_of(users->second.reads.begin(), users->second.reads.end(),
                       [&](const auto &user) { return isInside(user.first); });
}

} // namespace sdfgc::nest
