// Four half-steps per launch: a block reads a tile with a margin of four, steps in shared memory while the margin shrinks, and
// writes the inner part. The boundaries of A and B stay and are read where a half-step needs them.
#include "by_hand.h"

#include <utility>

using namespace by_hand;

constexpr int margin = 4, width = 64, height = 32, threadRows = 8;

SDFGC_KERNEL void __launch_bounds__(width *threadRows)
    jacobiTileKernel(const double *__restrict from, const double *A, const double *B, double *__restrict to, double *lastB, int N,
                     int steps) {
    SDFGC_SHARED(double, first, width *height);
    SDFGC_SHARED(double, second, width *height);
    double *now = first, *next = second;
    const int x = threadIdx.x;
    const int j = int(blockIdx.x) * (width - 2 * margin) + x - margin, top = int(blockIdx.y) * (height - 2 * margin) - margin;
    for (int y = threadIdx.y; y < height; y += threadRows) {
        const int i = top + y;
        now[y * width + x] = i >= 0 && i < N && j >= 0 && j < N ? from[int64_t(i) * N + j] : 0;
    }
    __syncthreads();
    for (int step = 1; step <= steps; ++step) {
        const double *const edge = step % 2 ? B : A;
        for (int y = threadIdx.y; y < height; y += threadRows) {
            const int i = top + y, at = y * width + x;
            const bool isTile = x >= step && x < width - step && y >= step && y < height - step;
            if (!isTile || i < 0 || i >= N || j < 0 || j >= N)
                continue;
            const bool isEdge = i == 0 || i == N - 1 || j == 0 || j == N - 1;
            next[at] =
                isEdge ? edge[int64_t(i) * N + j] : 0.2 * (now[at] + now[at - 1] + now[at + 1] + now[at + width] + now[at - width]);
            const bool isMine = x >= margin && x < width - margin && y >= margin && y < height - margin;
            if (isMine && step == steps)
                to[int64_t(i) * N + j] = next[at];
            if (isMine && lastB && step == steps - 1 && !isEdge)
                lastB[int64_t(i) * N + j] = next[at];
        }
        __syncthreads();
        double *const swapped = now;
        now = next;
        next = swapped;
    }
}

BY_HAND jacobi_2d(double *A, double *B, int64_t N, int64_t T) {
    double *const other = scratch<double>(N * N);
    if (!other)
        return noMemory;
    const gpu::Dim3 grid(gpu::blocks(N, width - 2 * margin), gpu::blocks(N, height - 2 * margin));
    Calls calls;
    double *from = A, *to = other;
    for (int64_t left = T; left > 0; left -= 2) {
        calls.launch<jacobiTileKernel>({"jacobi", "", withBarriers}, grid, {width, threadRows}, from, A, B, to,
                                       left <= 2 ? B : nullptr, int(N), left >= 2 ? 4 : 2);
        std::swap(from, to);
    }
    if (from != A)
        calls.copy(A, from, N * N * int64_t(sizeof(double)));
    return calls.finish();
}
