// Arrays of a kernel's body in device memory.
//
// A kernel cannot allocate. Memory for what its body declares comes from an arena, a container of the host (DataDesc::arena) that
// is reserved in front of the launch: with one slice for each thread or block, or as one array for the whole grid of a persistent
// kernel.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A slice of the arena for each thread or block that runs the code, of `size` elements; its pointer is declared at the end of
/// `out`. An invalid place, and an error reported, if there is no arena.
MemoryPlace slice(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size, Block &out);

/// Device memory that all threads of a persistent kernel see. Fails like slice().
MemoryPlace gridArray(Instance &in, Name name, const ir::DataDesc &d, sym::Expr size);

} // namespace sdfgc::tree::lowering
