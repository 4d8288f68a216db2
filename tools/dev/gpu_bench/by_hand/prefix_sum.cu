// Three kernels: the sum of each tile, the sums before each tile by one block, and the sums within tiles. Threads of a tile hold
// eight neighbours, which pass through shared memory.
#include "by_hand.h"

using namespace by_hand;

constexpr int threads = 256, items = 8, tile = threads * items, pitch = items + 1;

/// The sum of the values of all threads before this one; `total` becomes that of all.
SDFGC_DEVICE inline int64_t sumBefore(int64_t value, int64_t *warps, int64_t &total) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    int64_t sum = value;
    for (int by = 1; by < 32; by *= 2) {
        const int64_t lower = fromLower(sum, unsigned(by), 32);
        sum += lane >= by ? lower : 0;
    }
    __syncthreads();
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    int64_t before = 0;
    total = 0;
    for (int w = 0; w < threads / 32; ++w) {
        before += w < warp ? warps[w] : 0;
        total += warps[w];
    }
    return before + sum - value;
}

SDFGC_KERNEL void __launch_bounds__(threads) tileSumsKernel(const int64_t *__restrict A, int64_t *__restrict sums, int64_t N) {
    SDFGC_SHARED(int64_t, warps, threads / 32);
    const int64_t first = int64_t(blockIdx.x) * tile + threadIdx.x;
    int64_t sum = 0, total;
    SDFGC_UNROLL(8)
    for (int k = 0; k < items; ++k)
        sum += first + k * threads < N ? A[first + k * threads] : 0;
    (void)sumBefore(sum, warps, total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

SDFGC_KERNEL void __launch_bounds__(threads) sumsBeforeKernel(int64_t *__restrict sums, int64_t tiles) {
    SDFGC_SHARED(int64_t, warps, threads / 32);
    int64_t carried = 0;
    for (int64_t begin = 0; begin < tiles; begin += threads) {
        const int64_t at = begin + threadIdx.x;
        int64_t total;
        const int64_t before = sumBefore(at < tiles ? sums[at] : 0, warps, total);
        if (at < tiles)
            sums[at] = carried + before;
        carried += total;
    }
}

SDFGC_KERNEL void __launch_bounds__(threads)
    scanTilesKernel(const int64_t *__restrict A, const int64_t *__restrict before, int64_t *__restrict out, int64_t N) {
    SDFGC_SHARED(int64_t, values, threads * pitch);
    SDFGC_SHARED(int64_t, warps, threads / 32);
    const int me = threadIdx.x;
    const int64_t first = int64_t(blockIdx.x) * tile;
    const auto place = [](int i) { return i / items * pitch + i % items; };
    for (int i = me; i < tile; i += threads)
        values[place(i)] = first + i < N ? A[first + i] : 0;
    __syncthreads();
    int64_t sums[items], sum = 0, total;
    SDFGC_UNROLL(8)
    for (int k = 0; k < items; ++k)
        sums[k] = sum += values[me * pitch + k];
    const int64_t start = before[blockIdx.x] + sumBefore(sum, warps, total);
    SDFGC_UNROLL(8)
    for (int k = 0; k < items; ++k)
        values[me * pitch + k] = start + sums[k];
    __syncthreads();
    for (int i = me; i < tile; i += threads)
        if (first + i < N)
            out[first + i] = values[place(i)];
}

BY_HAND prefix_sum(const int64_t *A, int64_t *out, int64_t N) {
    const int64_t tiles = gpu::blocks(N, tile);
    int64_t *const sums = scratch<int64_t>(tiles);
    if (!sums)
        return noMemory;
    Calls calls;
    calls.launch<tileSumsKernel>({"sums", "", withBarriers}, tiles, threads, A, sums, N);
    calls.launch<sumsBeforeKernel>({"before", "", withBarriers}, 1, threads, sums, tiles);
    calls.launch<scanTilesKernel>({"scan", "", withBarriers}, tiles, threads, A, sums, out, N);
    return calls.finish();
}
