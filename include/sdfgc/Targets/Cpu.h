// Target cpu: C++ with OpenMP.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"

namespace sdfgc::targets {

/// Prints a module as `src/cpu/<name>.cpp` (and `<name>_2.cpp` ... when split) and the C header `include/<name>.h`. Same module, same bytes.
codegen::Sources emitCpu(const tree::Module &m, const pass::CompileOptions &compile, const codegen::Options &o = {});

} // namespace sdfgc::targets
