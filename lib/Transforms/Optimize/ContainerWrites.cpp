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
        const analysis::Memory m = memories_.of(*a);
        writes_[m].push_back({&top, a, &top == &s && isCertain(*a, in)});
        for (const Region *r = top.parent(); r; r = r->parent())
            if (isa<LoopRegion>(r) || isa<SDFG>(r))
                written_[r].insert(m);
    }
}

bool ContainerWrites::writtenIn(const Region &r, Name container) const {
    const auto found = written_.find(&r);
    if (found == written_.end())
        return false;
    const analysis::Memory m = memories_.of(g_, container);
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](analysis::Memory other) { return !memories_.apart(m, other); });
}

std::vector<const ContainerWrite *> ContainerWrites::of(Name container) const {
    std::vector<const ContainerWrite *> out;
    const analysis::Memory m = memories_.of(g_, container);
    for (const auto &[other, writes] : writes_)
        if (!memories_.apart(m, other))
            for (const ContainerWrite &w : writes)
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
