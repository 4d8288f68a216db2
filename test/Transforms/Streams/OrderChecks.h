// Counts what a walk over the order of operations complains about.
#pragma once

#include "sdfgc/Analysis/Streams/Streams.h"

namespace sdfgc::test {

/// Conflicts that `Order` (StreamOrder, PhaseOrder) finds, if a node were not there.
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
