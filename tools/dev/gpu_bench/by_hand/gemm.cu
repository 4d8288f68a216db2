// C = A B by tiles in shared memory: a block computes a tile of C, with one element per thread, and reads every element of A and B
// that it needs from global memory once per tile.
#include "by_hand.h"

using namespace by_hand;

constexpr int tile = 16;

SDFGC_KERNEL void __launch_bounds__(tile *tile)
    gemmKernel(const double *__restrict A, const double *__restrict B, double *__restrict C, int64_t N) {
    SDFGC_SHARED(double, a, tile *tile);
    SDFGC_SHARED(double, b, tile *tile);
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t i = int64_t(blockIdx.y) * tile + y, j = int64_t(blockIdx.x) * tile + x;
    double sum = 0;
    for (int64_t k = 0; k < N; k += tile) {
        a[y * tile + x] = i < N && k + x < N ? A[i * N + k + x] : 0;
        b[y * tile + x] = k + y < N && j < N ? B[(k + y) * N + j] : 0;
        __syncthreads();
        for (int t = 0; t < tile; ++t)
            sum += a[y * tile + t] * b[t * tile + x];
        __syncthreads();
    }
    if (i < N && j < N)
        C[i * N + j] = sum;
}

BY_HAND gemm(const double *A, const double *B, double *C, int64_t N) {
    const int64_t tiles = gpu::blocks(N, tile);
    return finished(gpu::launch<gemmKernel>({"gemm", "", withBarriers}, {tiles, tiles}, {tile, tile}, 0, nullptr, A, B, C, N));
}
