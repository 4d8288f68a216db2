// The three steps of structuring a region's graph: loops, regions that remain jumps, branches.
#pragma once

#include "Transforms/Normalise/ControlFlow/FlowGraph.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::flow {

/// Data shared by the steps while one SDFG is raised.
struct Raising {
    Labels labels;
    pass::Context &context;
    pass::Element element; // of the region, for remarks
};

/// The deepest nesting that structuring creates, since later passes walk the nesting recursively. Deeper control flow
/// remains jumps.
constexpr int maxHeight = 100;

/// Replaces every loop with one node that contains a LoopRegion, inner loops first. Cycles that are not loops of a
/// supported form are moved to unstructured regions, so the graph is acyclic afterwards.
void collapseLoops(Graph &g, Raising &r);

/// Moves the smallest single-entry, single-exit part that contains the `required` nodes, entered at `from` or a
/// dominator of it, into an Unstructured region, with its jumps as edges. Merges at least two nodes. Invalidates the
/// order.
void wrapUnstructured(Graph &g, const Order &order, const std::vector<int> &required, int from, Raising &r);

/// Writes an acyclic graph into an empty region as a chain of blocks, with conditional blocks for branches. Parts whose
/// branches overlap are wrapped first. Returns the number of nested levels.
int writeStructured(Graph &g, ir::Region &into, Raising &r);

} // namespace sdfgc::transforms::flow
