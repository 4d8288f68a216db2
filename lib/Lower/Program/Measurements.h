// Measurements of elements: where the tree has statements `Measure`. The pass `place-measurements` decides how each measures.
#pragma once

#include "Instance.h"

namespace sdfgc::tree::lowering {

/// Each of these adds a measurement of an element to `out` if the graph or --instrument asks for one. Returns the block for the
/// code of the element: that of the measurement, or `out`. If the element cannot have one, notes a warning (SD6023).
Block &measuredSdfg(Instance &in, const ir::SDFG &g, Block &out);
Block &measuredState(Instance &in, const ir::State &s, Block &out);
Block &measuredNode(Instance &in, const ir::Node &n, Block &out);
/// For loops and formed GPU graphs, which only --instrument asks for.
Block &measuredRegion(Instance &in, const ir::Region &r, Block &out);

} // namespace sdfgc::tree::lowering
