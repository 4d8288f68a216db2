// Thread counts of blocks that the host can compute when it launches a kernel.
#pragma once

#include "sdfgc/IR/Dataflow.h"

namespace sdfgc::analysis {

/// Returns an upper bound of a size, a constant if possible: `min(N, b + 32) - b` is at most 32. Without a bound,
/// returns the largest form of the size (sym::overApproximation).
sym::Expr boundOfSize(sym::Expr size);

/// Returns a name that the bounded sizes of a map depend on but that only the surrounding kernel knows: a parameter of
/// a map in it, including the kernel's, or a symbol that a nested SDFG in it defines. If that map were a thread-block
/// map, the size of its blocks would be unknown at launch (SD6009). Returns the empty name if the host can compute the
/// sizes, and outside kernels.
Name unknownAtLaunch(const ir::MapEntry &m);

/// Do the blocks of a kernel combine values that its iterations accumulate into one element (resolve-wcr)?
bool reducesInBlocks(const ir::MapEntry &kernel);

} // namespace sdfgc::analysis
