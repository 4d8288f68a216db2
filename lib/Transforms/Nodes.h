// Small things that passes ask of nodes and do to them.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Where a step of a state ends: the exit of a scope, any other node itself.
inline ir::Node *exitOf(ir::Node *n) {
    if (auto *m = dyn_cast<ir::MapEntry>(n))
        return m->exit;
    if (auto *c = dyn_cast<ir::ConsumeEntry>(n))
        return c->exit;
    return n;
}
inline const ir::Node *exitOf(const ir::Node *n) { return exitOf(const_cast<ir::Node *>(n)); }

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
