// Tiles of 64 x 64 on and below the diagonal, 16 elements in the registers of each thread, from slices of depth 16 in shared
// memory. The old C is scaled where a tile is stored.
#include "by_hand.h"

using namespace by_hand;

constexpr int size = 64, depth = 16, side = 16, pitch = size + 1;

SDFGC_KERNEL void __launch_bounds__(side *side)
    syrkKernel(const double *__restrict A, double *__restrict C, int64_t M, int64_t N, double alpha, double beta) {
    SDFGC_SHARED(double, left, depth *pitch);
    SDFGC_SHARED(double, right, depth *pitch);
    if (blockIdx.x > blockIdx.y)
        return;
    const int x = threadIdx.x, y = threadIdx.y, me = y * side + x;
    const int64_t top = int64_t(blockIdx.y) * size, first = int64_t(blockIdx.x) * size;
    double sums[4][4] = {};
    for (int64_t begin = 0; begin < M; begin += depth) {
        for (int at = me; at < size * depth; at += side * side) {
            const int k = at % depth, row = at / depth;
            left[k * pitch + row] = begin + k < M && top + row < N ? A[(top + row) * M + begin + k] : 0;
            right[k * pitch + row] = begin + k < M && first + row < N ? A[(first + row) * M + begin + k] : 0;
        }
        __syncthreads();
        SDFGC_UNROLL(4)
        for (int k = 0; k < depth; ++k) {
            double l[4], r[4];
            for (int n = 0; n < 4; ++n) {
                l[n] = left[k * pitch + y + side * n];
                r[n] = right[k * pitch + x + side * n];
            }
            for (int n = 0; n < 4; ++n)
                for (int m = 0; m < 4; ++m)
                    sums[n][m] += l[n] * r[m];
        }
        __syncthreads();
    }
    for (int n = 0; n < 4; ++n)
        for (int m = 0; m < 4; ++m) {
            const int64_t i = top + y + side * n, j = first + x + side * m;
            if (i < N && j <= i)
                C[i * N + j] = beta * C[i * N + j] + alpha * sums[n][m];
        }
}

BY_HAND syrk(const double *A, double *C, int64_t M, int64_t N, double alpha, double beta) {
    const int64_t tiles = gpu::blocks(N, size);
    Calls calls;
    calls.launch<syrkKernel>({"syrk", "", withBarriers}, {tiles, tiles}, {side, side}, A, C, M, N, alpha, beta);
    return calls.finish();
}
