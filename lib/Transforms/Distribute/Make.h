// Nodes that distribute adds to a state.
#pragma once

#include "Transforms/Distribute/Plan.h"
#include "Transforms/RankNodes.h"

namespace sdfgc::transforms::distribution {

/// Puts a tasklet into a map of one parameter; edges to and from access nodes lead through it. Returns the entry.
ir::MapEntry *wrap(ir::State &s, ir::Tasklet &t, Name parameter, const sym::Range &range);

} // namespace sdfgc::transforms::distribution
