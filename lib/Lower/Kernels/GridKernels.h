// GPU_Persistent maps: kernels that fill the device once and whose blocks meet at barriers of the grid.
//
//     map persist[_ = 0:0] GPU_Persistent {              void persist(...) {       // as many blocks as run at once
//       map a[i = 0:N] GPU_Device { t[i] = f(A[i]) }       for (i = thread of the grid; i < N; i += threads of the grid)
//                                                            t[i] = f(A[i]);
//       barrier of the grid                          ->    gridSync();
//       map b[i = 0:N] GPU_Device { B[i] = g(t) }          for (i = ...)
//                                                            B[i] = g(t);
//     }                                                  }
//
// The map's own range says nothing; its first parameter is the thread's number in the grid. All threads go through the body
// together: states, conditions and loops of nested SDFGs, sequential maps. In it,
//
//     GPU_Device maps          are spread over the grid: an iteration is a thread, or a block where there are thread-block
//                              maps inside; several parameters are counted as one, unless a range depends on another parameter
//     GPU_ThreadBlock maps     are run by each block, or by the first one when all blocks see what they write
//     tasklets                 likewise, by one thread; by all threads when they only write registers
//     copies                   are shared out among all threads, of each block where the target is shared memory
//
// All of it runs in blocks of one size, which shape-kernels decided.
//
// Device memory of the body is allocated by the host, once for the grid. The barriers are nodes of the graph (place-barriers). The
// rule comes from the reference on GPU code generation, section 5.7, with barriers by dependences and any number of dimensions.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A GPU_Persistent map of the host: a function for the kernel, and its launch in `out`. Reports what finishKernel() does.
void lowerGridKernel(Instance &in, ir::MapEntry &m, Block &out);

/// A map over the device in a persistent kernel.
void gridMap(Instance &in, ir::MapEntry &m, Block &out);

} // namespace sdfgc::tree::lowering
