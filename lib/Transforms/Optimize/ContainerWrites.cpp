#include "Transforms/Optimize/ContainerWrites.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The block of an SDFG that directly contains a block: a region, or the conditional block of a branch. Null for those at the top.
const Block *blockAround(const Block &b) {
    const Region *r = b.parent();
    return !r || isa<SDFG>(r) ? nullptr : r->conditional() ? static_cast<const Block *>(r->conditional()) : r;
}

bool isWrite(const Edge &e, const AccessNode &to) {
    const DataDesc *d = to.state()->sdfg()->desc(to.data);
    return !e.memlet.isEmpty() && !(d && d->isView() && &e == viewEdge(&to));
}

/// Does the state always write the only element of a node's container?
bool isCertain(const AccessNode &n, const std::vector<const Edge *> &in) {
    const DataDesc *d = n.state()->sdfg()->desc(n.data);
    if (in.size() != 1 || !d || d->alias != AliasKind::None || !d->numElements().isOne() || ScopeTree(*n.state()).scopeOf(&n))
        return false;
    const Edge &e = *in.front();
    return !e.memlet.dynamic && e.memlet.wcr.empty() && (isa<Tasklet>(e.src) || isa<AccessNode>(e.src));
}

} // namespace

ContainerWrites::ContainerWrites(SDFG &g, analysis::Memories &memories) : g_(g), memories_(memories) {
    for (State *s : allStates(g))
        add(*s, *s);
}

void ContainerWrites::add(State &top, State &s) {
    for (const auto &n : s.nodes()) {
        if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
            for (State *inner : allStates(*nested->sdfg))
                add(top, *inner);
        const auto *a = dyn_cast<AccessNode>(n.get());
        if (!a)
            continue;
        std::vector<const Edge *> in;
        for (const Edge *e : a->inEdges())
            if (isWrite(*e, *a))
                in.push_back(e);
        if (in.empty() && !a->setZero)
            continue;
        const ContainerWrite w{&top, a, &top == &s && isCertain(*a, in)};
        for (const Edge *e : in)
            add(memories_.placeOf(*a, *e), w);
        if (a->setZero)
            add(memories_.placeOf(*a), w);
    }
}

void ContainerWrites::add(const analysis::Place &place, const ContainerWrite &w) {
    const auto known = std::find_if(places_.begin(), places_.end(), [&place](const Written &each) {
        return each.place.memory == place.memory && each.place.member == place.member;
    });
    Written &written = known == places_.end() ? places_.emplace_back(Written{place, {}}) : *known;
    written.writes.push_back(w);
    const auto position = static_cast<std::size_t>(&written - places_.data());
    for (const Region *r = w.state->parent(); r; r = r->parent())
        if (isa<LoopRegion>(r) || isa<SDFG>(r))
            written_[r].insert(position);
}

bool ContainerWrites::writtenIn(const Region &r, Name container) const {
    const auto found = written_.find(&r);
    if (found == written_.end())
        return false;
    const analysis::Place place = memories_.placeOf(g_, container);
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](std::size_t other) { return !memories_.apart(place, places_[other].place); });
}

std::vector<const ContainerWrite *> ContainerWrites::of(Name container) const {
    std::vector<const ContainerWrite *> out;
    const analysis::Place place = memories_.placeOf(g_, container);
    for (const Written &written : places_)
        if (!memories_.apart(place, written.place))
            for (const ContainerWrite &w : written.writes)
                out.push_back(&w);
    return out;
}

bool ContainerWrites::dominates(const State &s, const Block &at) const {
    const Block *b = &at;
    while (b && b->parent() != s.parent())
        b = blockAround(*b);
    if (!b)
        return false;
    const analysis::BlockDominators &order = dominators_.try_emplace(s.parent(), *s.parent()).first->second;
    return order.reachable(b) && order.dominates(&s, b);
}

} // namespace sdfgc::transforms
