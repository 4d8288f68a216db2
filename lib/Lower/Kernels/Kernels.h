// GPU_Device maps: kernels and their launches.
//
// The parameters of the kernel's map are distributed over the grid, the last one along x:
//
//     no thread-block map inside      iteration = thread of the grid
//     thread-block maps inside        iteration = block; their parameters are distributed over the threads of the block
//     dynamic ones                    iteration = block; the threads take turns with the iterations of the last parameter, and each
//                                     runs all iterations of the others
//
// shape-kernels has chosen the block size and the maximum number of blocks: an axis with such a maximum is a grid-stride loop.
// Parameters beyond the third share the z axis. If all iterations of a kernel's map only accumulate into a target (resolve-wcr:
// Reduction), each thread has a private accumulator; its block combines the values and updates memory once. Barriers between the
// phases of a block are nodes of the graph (place-barriers). KernelFunctions.h turns a body into a function, KernelBodies.h lowers
// the contents of kernels, and GridKernels.h has persistent kernels.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A GPU_Device map on the host: a function for the kernel, and its launch in `out`. Reports what finishKernel() does.
void lowerKernel(Instance &in, ir::MapEntry &m, Block &out);

} // namespace sdfgc::tree::lowering
