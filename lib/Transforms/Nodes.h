// Small things that passes ask of nodes and blocks, and do to them.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// An edge without data from one node to another, unless there is an edge already.
inline void tie(ir::State &s, ir::Node *from, ir::Node *to) {
    if (from == to)
        return;
    for (const ir::Edge *e : from->outEdges())
        if (e->dst == to)
            return;
    s.connect(from, {}, to, {}, ir::Memlet::empty());
}

/// Edges to `oldFirst` lead to `first` from now on, and edges from `oldLast` leave `last`. `start` is what the region began with before the
/// new blocks were added: where that was `oldFirst`, it begins with `first`. The old blocks stay, without these edges.
inline void takePlace(ir::Region &r, const ir::Block *start, ir::Block &oldFirst, ir::Block &oldLast, ir::Block &first,
                      ir::Block &last) {
    r.moveInEdges(&oldFirst, &first);
    r.moveOutEdges(&oldLast, &last);
    if (start == &oldFirst)
        r.setStart(&first);
}

} // namespace sdfgc::transforms
