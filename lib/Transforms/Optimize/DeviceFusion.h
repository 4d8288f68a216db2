// Which maps may become one kernel of a device.
//
// A kernel needs a thread for each iteration of its map, and neighbouring threads should access neighbouring elements. Maps
// of the same shape keep both. If only their first loops are shared, the others become loops inside the kernel, so either
// the shared loops must be enough, or the threads of a block must be able to share an iteration (BlockRows.h).
#pragma once

#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

/// Are the first `depth` loops of two maps enough to fill a device, with neighbouring threads at neighbouring elements? Not if a
/// map has further loops around inner maps: each iteration may be much work.
bool shareThreads(const nest::Map &a, const nest::Map &b, std::size_t depth, const ir::SDFG &g);
/// Does each iteration of one map run loops that carry values along a row, while the other map computes elements of such rows one by
/// one? The thread of a row is then the only one that may run these loops, and it can compute the elements as well: that takes less
/// time than a launch, and no array has to be read again. `depth`: the loops that both share.
bool sweepRows(const nest::Map &a, const nest::Map &b, std::size_t depth, const ir::SDFG &g);
/// Why the threads of a block should not share an iteration of a map: because they cannot, or because nothing is gained; empty
/// if they should. `anyOrder`: may sums of numbers be reordered (class F1)?
diag::Reason whyNoBlocks(nest::Map rows, const nest::Conflicts &items, const ir::SDFG &g, bool anyOrder);
/// Why one kernel should not run both maps: if the threads of a block should share iterations of one of them, but would share those
/// of both in another way; empty otherwise.
diag::Reason whyOtherThreads(const nest::Map &a, const nest::Map &b, const nest::Map &both, const nest::Conflicts &items,
                             const ir::SDFG &g, bool anyOrder);
/// Is an item a Reduce node that should stay one, because a kernel would use atomic updates for its sum, or few threads for all of
/// its outputs? The expansions of the node combine values in an order that does not vary, with several blocks for an output.
bool isSumForBlocks(const nest::Item &item, const ir::SDFG &g);

/// Symbols that loops around a region change, their variables included.
std::set<Name> symbolsOfLoops(const ir::Region &r);
/// Is a map a row whose length depends on such symbols? The loop may become a map that gives each thread a row.
bool isRow(const nest::Map &m, const std::set<Name> &varying);

} // namespace sdfgc::transforms
