// Each block counts in shared memory and adds its counts to the result at the end. At most 8192 bins.
#include "by_hand.h"

using namespace by_hand;

constexpr int threads = 256, mostBlocks = 1056;

SDFGC_KERNEL void __launch_bounds__(threads)
    histogramKernel(const int *__restrict keys, int *__restrict counts, int bins, int64_t N) {
    SDFGC_DYNAMIC_SHARED(int, mine);
    for (int b = threadIdx.x; b < bins; b += threads)
        mine[b] = 0;
    __syncthreads();
    SDFGC_UNROLL(4)
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < N; i += int64_t(gridDim.x) * threads)
        atomicAdd(&mine[keys[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += threads)
        if (mine[b] != 0)
            atomicAdd(&counts[b], mine[b]);
}

BY_HAND histogram(int *counts, const int *keys, int64_t B, int64_t N) {
    if (B > 8192)
        return notSupported;
    const int64_t blocks = gpu::blocks(N, threads);
    Calls calls;
    calls.clear(counts, B * int64_t(sizeof(int)));
    calls.launchWith<histogramKernel>(size_t(B) * sizeof(int), {"histogram", "", withBarriers},
                                      blocks < mostBlocks ? blocks : mostBlocks, threads, keys, counts, int(B), N);
    return calls.finish();
}
