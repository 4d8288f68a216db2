// Arrays of a kernel's body in device memory.
//
// A kernel cannot allocate. Containers declared in its body get memory from an arena, a host container (DataDesc::arena) reserved
// before the launch: one slice per thread or block, or one array for the entire grid of a persistent kernel.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A slice of the arena, with `size` elements for each thread or block that runs the code; its pointer is declared at the end of
/// `out`. If there is no arena, reports an error and returns an invalid place.
MemoryPlace slice(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size, Block &out);

/// Device memory visible to all threads of a persistent kernel. Fails like slice().
MemoryPlace gridArray(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size);

} // namespace sdfgc::tree::lowering
