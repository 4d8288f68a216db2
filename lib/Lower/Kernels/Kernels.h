// GPU_Device maps: kernels and their launches.
//
// The parameters of the kernel's map are spread over the grid, last one along x:
//
//     no thread-block map inside      iteration = thread of the grid
//     thread-block maps inside        iteration = block; their parameters are spread over the threads of the block
//     dynamic ones                    iteration = block; the threads take turns with the iterations of the last parameter, and each
//                                     goes through the others
//
// How large blocks are, and how many there are at most, shape-kernels decided: an axis with such a limit is a loop with the stride
// of the grid. Parameters beyond the third share the z axis. What all iterations of a kernel's map only accumulate (resolve-wcr:
// Reduction) each thread accumulates for itself; its block combines the values and updates memory once. Barriers between the phases
// of a block are nodes of the graph (place-barriers). How a body becomes a function is in KernelFunctions.h, what is inside of
// kernels in KernelBodies.h, persistent kernels in GridKernels.h.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A GPU_Device map of the host: a function for the kernel, and its launch in `out`. Reports what finishKernel() does.
void lowerKernel(Instance &in, ir::MapEntry &m, Block &out);

} // namespace sdfgc::tree::lowering
