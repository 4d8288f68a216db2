// s = sum of A: each thread adds up elements at a fixed stride, the block combines its threads in shared memory, and one thread per
// block adds to the result.
#include "by_hand.h"

using namespace by_hand;

constexpr int threads = 256, mostBlocks = 2048;

SDFGC_KERNEL void __launch_bounds__(threads) reductionKernel(const double *__restrict A, double *s, int64_t N) {
    SDFGC_SHARED(double, part, threads);
    const int me = threadIdx.x;
    double sum = 0;
    for (int64_t i = int64_t(blockIdx.x) * threads + me; i < N; i += int64_t(gridDim.x) * threads)
        sum += A[i];
    part[me] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (me < half)
            part[me] += part[me + half];
        __syncthreads();
    }
    if (me == 0)
        atomicAdd(s, part[0]);
}

BY_HAND reduction(const double *A, double *s, int64_t N) {
    const gpu::Status cleared = gpu::memsetAsync(s, 0, sizeof(double), nullptr);
    if (cleared != gpu::success)
        return static_cast<int>(cleared);
    const int64_t blocks = gpu::blocks(N, threads);
    const gpu::Dim3 grid(blocks < mostBlocks ? blocks : mostBlocks);
    return finished(gpu::launch<reductionKernel>({"reduction", "", withBarriers}, grid, threads, 0, nullptr, A, s, N));
}
