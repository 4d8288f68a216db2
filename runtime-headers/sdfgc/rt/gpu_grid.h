// A barrier of all blocks of a grid, for persistent and fused kernels.
//
// Rules: only in kernels that are launched with Launch::cooperative, with no more blocks than run at once
// (blocksPerMultiprocessor() times Limits::multiprocessors), and every thread of the grid must call it. What was written before is
// seen by all threads after.
#pragma once

#include "sdfgc/rt/gpu.h"

#if defined(SDFGC_GPU_CUDA) && defined(__CUDACC__)
#include <cooperative_groups.h>
#elif defined(SDFGC_GPU_HIP) && defined(__HIPCC__)
#include <hip/hip_cooperative_groups.h>
#endif

namespace sdfgc::gpu {

#if defined(SDFGC_GPU_EMULATE)
inline void gridSync(const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
    emulate::gridBarrier({function, file, line});
}
#elif defined(__CUDACC__) || defined(__HIPCC__)
SDFGC_DEVICE inline void gridSync() { cooperative_groups::this_grid().sync(); }
#endif

} // namespace sdfgc::gpu
