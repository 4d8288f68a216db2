// Small things that passes ask of nodes and do to them.
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

} // namespace sdfgc::transforms
