// The contents of kernels: maps over their threads, and code that one thread runs for all.
//
// FunctionContext::Device states which threads run each statement. At block or grid level, a map over threads distributes its
// iterations, and its body runs on one thread each. A tasklet outside of such maps would run on all threads; it is restricted to
// one thread unless it only writes registers.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A map inside a kernel: over the grid of a persistent one, over the threads of the block, or a loop of each thread.
void lowerKernelMap(Instance &in, ir::MapEntry &m, Block &out);

/// A tasklet inside a kernel.
void lowerKernelTasklet(Instance &in, ir::Tasklet &t, Block &out);

} // namespace sdfgc::tree::lowering
