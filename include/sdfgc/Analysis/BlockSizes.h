// How many threads a block of a kernel needs: what the host can tell when it starts the kernel.
#pragma once

#include "sdfgc/IR/Dataflow.h"

namespace sdfgc::analysis {

/// A bound of a size from above, a constant where there is one: `min(N, b + 32) - b` is 32 at most. Without one, the size in its
/// largest form (sym::overApproximation).
sym::Expr boundOfSize(sym::Expr size);

/// A name that only the kernel around a map knows (a parameter of a map in it, the kernel's included, or a symbol that a nested SDFG
/// in it defines) and that the sizes of the map depend on, bounded as above: as a thread-block map it would make blocks of a size
/// that nobody knows when the kernel is started (SD6009). The empty name where the host can compute them, and outside of kernels.
Name unknownAtLaunch(const ir::MapEntry &m);

/// Do blocks of a kernel combine what its iterations accumulate into one element (resolve-wcr)?
bool reducesInBlocks(const ir::MapEntry &kernel);

} // namespace sdfgc::analysis
