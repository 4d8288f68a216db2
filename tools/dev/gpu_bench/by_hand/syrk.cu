// Tiles of the product on and below the diagonal; the old C is scaled where a tile is stored.
#include "tiles.h"

using namespace by_hand;

SDFGC_KERNEL void __launch_bounds__(256)
    syrkKernel(const double *__restrict A, double *__restrict C, int64_t M, int64_t N, double alpha, double beta) {
    if (blockIdx.x > blockIdx.y)
        return;
    const int64_t top = int64_t(blockIdx.y) * tileSize, first = int64_t(blockIdx.x) * tileSize;
    const auto row = [=](int64_t k, int64_t i) { return i < N ? A[i * M + k] : 0.0; };
    double sums[4][4] = {};
    addProducts<true>(
        sums, M, [=](int64_t k, int at) { return row(k, top + at); }, [=](int64_t k, int at) { return row(k, first + at); });
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) {
            const int64_t i = top + threadIdx.y + tileThreads * r, j = first + threadIdx.x + tileThreads * c;
            if (i < N && j <= i)
                C[i * N + j] = beta * C[i * N + j] + alpha * sums[r][c];
        }
}

BY_HAND syrk(const double *A, double *C, int64_t M, int64_t N, double alpha, double beta) {
    const int64_t tiles = gpu::blocks(N, tileSize);
    Calls calls;
    calls.launch<syrkKernel>({"syrk", "", withBarriers}, {tiles, tiles}, {tileThreads, tileThreads}, A, C, M, N, alpha, beta);
    return calls.finish();
}
