// Runs place-barriers on a graph, and checks that each barrier is needed.
#pragma once

#include "Transforms/PassRun.h"
#include "Transforms/Streams/OrderChecks.h"

#include "sdfgc/Analysis/Streams/Barriers.h"

namespace sdfgc::test {

/// The number of unordered conflicting phases, optionally without a node.
inline int conflicts(SDFG &g, const Node *without = nullptr) { return conflictsOf<analysis::PhaseOrder>(g, without); }

/// The barriers after the pass, by kind. Checks that none is missing, and that removing any single one causes a conflict.
inline std::vector<analysis::AsyncOp::Kind> placedBarriers(SDFG &g) {
    PassRun place(transforms::createPlaceBarriers());
    place(g);
    CHECK(conflicts(g) == 0);
    std::vector<analysis::AsyncOp::Kind> kinds;
    for (SDFG *each : allSDFGs(g))
        for (State *in : allStates(*each))
            for (const auto &n : in->nodes()) {
                auto *l = dyn_cast<LibraryNode>(n.get());
                const auto op = l ? analysis::asyncOp(*l) : std::nullopt;
                if (!op)
                    continue;
                kinds.push_back(op->kind);
                CHECK(conflicts(g, l) > 0);
            }
    PassRun again(transforms::createPlaceBarriers());
    CHECK_FALSE(again(g));
    return kinds;
}

} // namespace sdfgc::test
