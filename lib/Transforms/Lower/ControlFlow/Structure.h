// The three steps of structuring a region's graph: loops, regions that stay as jumps, branches.
#pragma once

#include "Transforms/Lower/ControlFlow/FlowGraph.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::flow {

/// What the steps share while one SDFG is raised.
struct Raising {
    Labels labels;
    pass::Context &context;
    pass::Element element; // of the region, for remarks
};

/// Deepest nesting that structuring creates; beyond it control flow stays as jumps (later passes walk the nesting recursively).
constexpr int maxHeight = 100;

/// Replaces every loop by one node with a LoopRegion, inner loops first. Cycles that are no loops of a supported form end up inside
/// unstructured regions: afterwards the graph is acyclic.
void collapseLoops(Graph &g, Raising &r);

/// Moves the smallest part with one entry and one exit that contains the `required` nodes, entered at `from` or a dominator of it,
/// into an Unstructured region: its jumps become edges as they are. At least two nodes are merged. The order is invalid afterwards.
void wrapUnstructured(Graph &g, const Order &order, const std::vector<int> &required, int from, Raising &r);

/// Writes an acyclic graph into an empty region as a chain of blocks, with conditional blocks for branches. Parts whose branches
/// overlap are wrapped first. Returns the number of levels nested inside.
int writeStructured(Graph &g, ir::Region &into, Raising &r);

} // namespace sdfgc::transforms::flow
