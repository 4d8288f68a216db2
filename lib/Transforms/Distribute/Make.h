// Creates nodes for distribute.
#pragma once

#include "Transforms/Distribute/Plan.h"
#include "Transforms/Edits/RankNodes.h"

namespace sdfgc::transforms::distribution {

/// Wraps a tasklet in a map with one parameter; edges to and from access nodes pass through it. Returns the entry.
ir::MapEntry *wrap(ir::State &s, ir::Tasklet &t, Name parameter, const sym::Range &range);

} // namespace sdfgc::transforms::distribution
