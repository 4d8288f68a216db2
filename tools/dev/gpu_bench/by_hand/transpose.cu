// B = A^T by tiles in shared memory, so that global memory is read and written along rows. The tile's rows have one extra element:
// the threads of a warp then read a column from different banks.
#include "by_hand.h"

using namespace by_hand;

constexpr int tile = 32, rows = 8;

SDFGC_KERNEL void __launch_bounds__(tile *rows) transposeKernel(const double *__restrict A, double *__restrict B, int64_t N) {
    SDFGC_SHARED(double, part, tile *(tile + 1));
    const int64_t i = int64_t(blockIdx.y) * tile, j = int64_t(blockIdx.x) * tile;
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < tile; y += rows)
        if (i + y < N && j + x < N)
            part[y * (tile + 1) + x] = A[(i + y) * N + j + x];
    __syncthreads();
    for (int y = threadIdx.y; y < tile; y += rows)
        if (j + y < N && i + x < N)
            B[(j + y) * N + i + x] = part[x * (tile + 1) + y];
}

BY_HAND transpose(const double *A, double *B, int64_t N) {
    const int64_t tiles = gpu::blocks(N, tile);
    return finished(gpu::launch<transposeKernel>({"transpose", "", withBarriers}, {tiles, tiles}, {tile, rows}, 0, nullptr, A, B, N));
}
