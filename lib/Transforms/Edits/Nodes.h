// Small helpers for nodes and blocks, shared by several passes.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Adds an ordering edge (without data) between two nodes, unless an edge already exists.
inline void tie(ir::State &s, ir::Node *from, ir::Node *to) {
    if (from == to)
        return;
    for (const ir::Edge *e : from->outEdges())
        if (e->dst == to)
            return;
    s.connect(from, {}, to, {}, ir::Memlet::empty());
}

/// Redirects edges to `oldFirst` to `first`, and edges from `oldLast` to leave `last`. `start` is the start block from
/// before the new blocks were added: if it was `oldFirst`, the region now starts with `first`. The old blocks stay,
/// without these edges.
inline void takePlace(ir::Region &r, const ir::Block *start, ir::Block &oldFirst, ir::Block &oldLast, ir::Block &first,
                      ir::Block &last) {
    r.moveInEdges(&oldFirst, &first);
    r.moveOutEdges(&oldLast, &last);
    if (start == &oldFirst)
        r.setStart(&first);
}

/// Replaces a block with an empty state, which is returned.
inline ir::State &replaceByState(ir::Block &b, std::string label) {
    ir::Region &r = *b.parent();
    const ir::Block *const start = r.start();
    auto *s = r.add<ir::State>();
    s->label = std::move(label);
    takePlace(r, start, b, b, *s, *s);
    r.removeBlock(&b);
    return *s;
}

} // namespace sdfgc::transforms
