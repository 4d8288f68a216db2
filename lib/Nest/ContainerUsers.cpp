#include "sdfgc/Nest/ContainerUsers.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

bool isInside(const Block &b, const Region &r) {
    const Block *at = &b;
    while (at && at != &r)
        at = at->parent();
    return at != nullptr;
}

} // namespace

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
        const auto [scope, isNew] = users_[ownerOf(a->data)].states.try_emplace(&s, outermost);
        if (scope->second != outermost)
            scope->second = nullptr;
        used.insert(ownerOf(a->data));
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
            out.insert(ownerOf(a->data));
    analysis::forEachControlRead(l, [&out](Name container, const Region &) { out.insert(ownerOf(container)); });
    return out;
}

void ContainerUsers::remove(const LoopRegion &l) {
    std::set<Name> used;
    for (const State *s : allStates(static_cast<const Region &>(l)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            users_[ownerOf(a->data)].states.erase(s);
            used.insert(ownerOf(a->data));
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
    const auto &[states, reads] = users->second;
    return std::all_of(states.begin(), states.end(), [&r](const auto &user) { return isInside(*user.first, r); }) &&
           std::all_of(reads.begin(), reads.end(), [&r](const auto &user) { return isInside(*user.first, r); });
}

const Block *ContainerUsers::userOutside(Name container, const Region &r) const {
    const auto users = users_.find(container);
    if (users == users_.end())
        return nullptr;
    const Block *out = nullptr;
    const auto take = [&out](const Block *b) { // the same one in each run: addresses differ
        if (!out || std::pair(b->label, b->id()) < std::pair(out->label, out->id()))
            out = b;
    };
    for (const auto &[state, scope] : users->second.states)
        if (!isInside(*state, r))
            take(state);
    for (const auto &[region, count] : users->second.reads)
        if (!isInside(*region, r))
            take(region);
    return out;
}

} // namespace sdfgc::nest
