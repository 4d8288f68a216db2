// The means of the columns, then tiles of the product on and below the diagonal, which take the means off while they load. Each tile is
// stored twice.
#include "tiles.h"

using namespace by_hand;

SDFGC_KERNEL void __launch_bounds__(1024) meanKernel(const double *__restrict data, double *__restrict mean, int64_t M, int64_t N) {
    SDFGC_SHARED(double, part, 1024);
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t j = int64_t(blockIdx.x) * 32 + x;
    double sum = 0;
    for (int64_t n = y; n < N && j < M; n += 32)
        sum += data[n * M + j];
    part[y * 32 + x] = sum;
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (y < half)
            part[y * 32 + x] += part[(y + half) * 32 + x];
        __syncthreads();
    }
    if (y == 0 && j < M)
        mean[j] = part[x] / double(N);
}

SDFGC_KERNEL void __launch_bounds__(256)
    covarianceKernel(const double *__restrict data, const double *__restrict mean, double *__restrict cov, int64_t M, int64_t N) {
    if (blockIdx.x > blockIdx.y)
        return;
    const int64_t top = int64_t(blockIdx.y) * tileSize, first = int64_t(blockIdx.x) * tileSize;
    const auto centred = [=](int64_t n, int64_t j) { return j < M ? data[n * M + j] - mean[j] : 0.0; };
    double sums[4][4] = {};
    addProducts<false>(
        sums, N, [=](int64_t n, int at) { return centred(n, top + at); },
        [=](int64_t n, int at) { return centred(n, first + at); });
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) {
            const int64_t i = top + threadIdx.y + tileThreads * r, j = first + threadIdx.x + tileThreads * c;
            if (i < M && j <= i)
                cov[i * M + j] = cov[j * M + i] = sums[r][c] / double(N - 1);
        }
}

BY_HAND covariance(double *cov, const double *data, int64_t M, int64_t N) {
    double *const mean = scratch<double>(M);
    if (!mean)
        return noMemory;
    const int64_t tiles = gpu::blocks(M, tileSize);
    Calls calls;
    calls.launch<meanKernel>({"mean", "", withBarriers}, gpu::blocks(M, 32), {32, 32}, data, mean, M, N);
    calls.launch<covarianceKernel>({"covariance", "", withBarriers}, {tiles, tiles}, {tileThreads, tileThreads}, data, mean, cov, M,
                                   N);
    return calls.finish();
}
