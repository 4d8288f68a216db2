// What the host does and what the device does in consecutive states, sorted into phases that take turns.
#pragma once

#include "sdfgc/Analysis/GraphRegions.h"

namespace sdfgc::transforms {

/// States that follow each other in a region without a condition or an assignment on the way.
using StateChain = std::vector<ir::State *>;

/// Sorts the steps of the states: first what the host does and waits for no operation of the device in the chain, then the operations that can
/// be nodes of a graph and need no more of the host than that, then what the host does with their results, and so on. Each step keeps
/// its place behind all that it depends on: by edges, by memory of which one of the two writes, or because both have effects that memory
/// does not show. States get one part for each phase in which they have steps; the parts stand in the place of the states, phase by phase.
///
/// Returns the states, which are not part of the program any more; analyses of the program know them by their addresses, so they must live
/// as long. Nothing is changed, and the list is empty, where no phase of the device would have `least` operations, where the states are
/// phases already, and where a state cannot be cut: it is measured, has queues or references, or values that pass from code to code.
/// `freshLabel` gives labels that no other block has. Blocks of the region outside of the chain stay as they are.
std::vector<std::unique_ptr<ir::Block>> sortIntoPhases(ir::Region &r, const StateChain &chain, analysis::GraphBlockers &blockers,
                                                       int64_t least,
                                                       const std::function<std::string(const std::string &)> &freshLabel);

} // namespace sdfgc::transforms
