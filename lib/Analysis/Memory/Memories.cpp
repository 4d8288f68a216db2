#include "sdfgc/Analysis/Memory/Memories.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// The access node at the far end of an edge's path, if there is one.
const AccessNode *end(const Edge *e, bool source) { return dyn_cast<AccessNode>(source ? pathSource(e) : pathDestination(e)); }

} // namespace

Memories::Memories(SDFG &root) {
    for (SDFG *g : allSDFGs(root))
        mergeReferences(*g);
}

Memory Memories::of(const AccessNode &n) {
    const AccessNode *behind = nodeBehindViews(&n);
    return of(*const_cast<State *>(n.state())->sdfg(), behind ? behind->data : n.data);
}

Memory Memories::of(SDFG &g, Name data) {
    data = ownerOf(data);
    auto known = numbers_.find({&g, data});
    if (known != numbers_.end())
        return static_cast<Memory>(merged_.find(static_cast<std::size_t>(known->second)));
    Memory m = -1;
    const DataDesc *d = g.arrays.find(data);
    if (d && d->isView())
        for (State *s : allStates(g))
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<AccessNode>(n.get()); a && m < 0 && ownerOf(a->data) == data)
                    if (const AccessNode *viewed = viewedNode(a); viewed && viewed->data != data)
                        m = of(*viewed);
    if (m < 0 && g.parentNode && !(d && d->transient)) {
        for (const Edge *e : g.parentNode->inEdges())
            if (const AccessNode *a = e->dstConn == data ? end(e, true) : nullptr; a && m < 0)
                m = of(*a);
        for (const Edge *e : g.parentNode->outEdges())
            if (const AccessNode *a = e->srcConn == data ? end(e, false) : nullptr; a && m < 0)
                m = of(*a);
    }
    if (m < 0) {
        m = static_cast<Memory>(owners_.size());
        owners_.emplace_back(&g, data);
        mayAlias_.push_back(d && d->mayAlias);
        merged_.add();
    }
    numbers_[{&g, data}] = m;
    return m;
}

/// A reference may alias every container that it is set to.
void Memories::mergeReferences(SDFG &g) {
    for (State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *to = dyn_cast<AccessNode>(e->dst); to && e->dstConn == Name("set"))
                if (const AccessNode *from = end(e.get(), true)) {
                    const auto a = static_cast<std::size_t>(of(*from)), b = static_cast<std::size_t>(of(*to));
                    mayAlias_[a] = mayAlias_[a] || mayAlias_[b];
                    merged_.join(a, b);
                }
}

const DataDesc *Memories::desc(Memory m) const {
    const auto &[g, data] = owner(m);
    return g->arrays.find(data);
}

bool Memories::apart(Memory a, Memory b) const {
    const bool both = mayAlias_[static_cast<std::size_t>(a)] && mayAlias_[static_cast<std::size_t>(b)];
    return a != b && !both;
}

} // namespace sdfgc::analysis
