// The printer of all targets so far: C++ with OpenMP for the CPU, CUDA and HIP for GPUs.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"

namespace sdfgc::targets {

/// Prints a module as `src/cpu/<name>.cpp` (and `<name>_2.cpp` ... when split), `src/cuda/<name>.cu` or `src/hip/<name>.hip` where
/// it runs on a GPU, and the C header `include/<name>.h`. Same module, same bytes.
codegen::Sources emitCxx(const tree::Module &m, const pass::CompileOptions &compile, const codegen::Options &o = {});

} // namespace sdfgc::targets
