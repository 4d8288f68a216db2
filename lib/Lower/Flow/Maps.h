// Maps: loop nests, parallel regions, kernels.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A map with its contents, lowered by its schedule; inside a kernel, by lowerKernelMap(). Reports a schedule that does not exist
/// on the host.
void lowerMap(Instance &in, ir::MapEntry &m, Block &out);

/// A map as nested loops; for CPU_Multicore the outermost is an OpenMP loop.
void mapLoops(Instance &in, ir::MapEntry &m, Block &out);

/// Declares constants at the end of `out` for the dynamic ranges of a scope, which its entry reads from containers, and binds their
/// symbols. Reports a value without a place. `byKernel` selects those in device memory, which a kernel reads, or the others.
void dynamicRanges(Instance &in, ir::Node &entry, SymbolScope &symbols, Block &out, std::optional<bool> byKernel = std::nullopt);

} // namespace sdfgc::tree::lowering
