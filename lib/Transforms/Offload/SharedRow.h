// How the threads of a block share a row of a map. For map-to-threads.
#pragma once

#include "Transforms/Edits/BlockRows.h"

namespace sdfgc::transforms {

/// Rewrites a map according to its plan: the threads get a map of their own, lane loops become strided, and sums are combined.
/// BlockRows.h defines the words. `connectors`: those of all nodes. `inGrid`: the map is in a persistent kernel, whose blocks have one
/// dimension.
void shareRow(nest::Map &rows, const RowSharing &plan, ir::SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors,
              bool inGrid = false);

} // namespace sdfgc::transforms
