// GPU_Persistent maps: kernels that fill the device once and whose blocks synchronise at grid barriers.
//
//     map persist[_ = 0:0] GPU_Persistent {              void persist(...) {       // as many blocks as run at once
//       map a[i = 0:N] GPU_Device { t[i] = f(A[i]) }       for (i = thread of the grid; i < N; i += threads of the grid)
//                                                            t[i] = f(A[i]);
//       barrier of the grid                          ->    gridSync();
//       map b[i = 0:N] GPU_Device { B[i] = g(t) }          for (i = ...)
//                                                            B[i] = g(t);
//     }                                                  }
//
// The map's own range is ignored; its first parameter is the index of the thread in the grid. All threads run the body together:
// states, conditions and loops of nested SDFGs, sequential maps. In it,
//
//     GPU_Device maps          are distributed over the grid: an iteration is a thread, or a block if there are thread-block maps
//                              inside; several parameters are collapsed into one, unless a range depends on another parameter
//     GPU_ThreadBlock maps     run on each block, or only on the first one if all blocks see their writes
//     tasklets                 likewise, on one thread; on all threads if they only write registers
//     copies                   are distributed over all threads, or over those of each block if the target is shared memory
//
// A grid limit makes the grid a single block (MapEntry::gpuGridLimit, set by persist-loops): its threads share the device-wide
// maps, barriers of the grid are those of the block, and the launch is an ordinary one. If only a device-wide map in a grid of many
// blocks has a limit, the threads of the first block share its iterations.
//
// All of it runs with a single block size, which shape-kernels has chosen.
//
// The host allocates the body's device memory once for the grid. The barriers are nodes of the graph (place-barriers). The rules
// follow the reference on GPU code generation, section 5.7, but with barriers placed by dependences and with any number of
// dimensions.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A GPU_Persistent map on the host: a function for the kernel, and its launch in `out`. Reports what finishKernel() does.
void lowerGridKernel(Instance &in, ir::MapEntry &m, Block &out);

/// A device-wide map in a persistent kernel.
void gridMap(Instance &in, ir::MapEntry &m, Block &out);

} // namespace sdfgc::tree::lowering
