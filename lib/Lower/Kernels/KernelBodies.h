// What is inside of kernels: maps over their threads, and code that one thread runs for all.
//
// FunctionContext::Device says who runs each statement. Where it is a block or the grid, a map of threads shares out its iterations
// and what follows in it is for one thread each; a tasklet outside of such maps, which would be run by all threads, is left to one
// unless it only writes registers.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A map inside of a kernel: over the grid of a persistent one, over the threads of the block, or a loop of each thread.
void lowerKernelMap(Instance &in, ir::MapEntry &m, Block &out);

/// A tasklet inside of a kernel.
void lowerKernelTasklet(Instance &in, ir::Tasklet &t, Block &out);

} // namespace sdfgc::tree::lowering
