// A barrier of all blocks of a grid, for persistent and fused kernels.
//
// Rules: only in kernels that are launched with Launch::cooperative, with no more blocks than run at once
// (blocksPerMultiprocessor() times Limits::multiprocessors), and every thread of the grid must call it. All threads see the writes
// made before the barrier.
#pragma once

#include "sdfgc/rt/gpu.h"

#ifdef SDFGC_GPU_KERNELS
#include SDFGC_GPU_HEADER(grid)
#endif
