// Maps: loop nests, parallel regions, kernels.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A map with what is inside, as its schedule says; in a kernel, as lowerKernelMap() does it. A schedule that the host does not
/// have is reported.
void lowerMap(Instance &in, ir::MapEntry &m, Block &out);

/// A map as nested loops; for CPU_Multicore the outermost is an OpenMP loop.
void mapLoops(Instance &in, ir::MapEntry &m, Block &out);

/// Constants for the dynamic ranges of a scope, which its entry reads from containers: declared at the end of `out`, and what the
/// symbols stand for. A value without a place is reported. `byKernel`: those in device memory, which a kernel reads, or the others.
void dynamicRanges(Instance &in, ir::Node &entry, SymbolScope &symbols, Block &out, std::optional<bool> byKernel = std::nullopt);

} // namespace sdfgc::tree::lowering
