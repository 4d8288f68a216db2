// Counts the conflicts found by a walk over the order of operations.
#pragma once

#include "sdfgc/Analysis/Streams/Streams.h"

namespace sdfgc::test {

/// The number of conflicts that `Order` (StreamOrder, PhaseOrder) finds, optionally without a node.
template <class Order> int conflictsOf(ir::SDFG &g, const ir::Node *without = nullptr) {
    analysis::StreamSteps steps(g);
    steps.ignored = without;
    int found = 0;
    Order(g, steps).run([&](const auto &) {
        ++found;
        return false;
    });
    return found;
}

} // namespace sdfgc::test
