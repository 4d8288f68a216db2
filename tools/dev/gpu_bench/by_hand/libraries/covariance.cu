// The means of the columns, the table without them, and a product of the vendor's library, called through sdfgc's dialect: cuBLAS,
// hipBLAS, or OpenBLAS in the emulation. Computing both triangles is as fast as mirroring one.
#include "../by_hand.h"

#include "sdfgc/rt/gpu_blas.h"

using namespace by_hand;

SDFGC_KERNEL void __launch_bounds__(1024) meanKernel(const double *__restrict data, double *__restrict mean, int64_t M, int64_t N) {
    SDFGC_SHARED(double, part, 1024);
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t j = int64_t(blockIdx.x) * 32 + x;
    double sum = 0;
    SDFGC_UNROLL(4)
    for (int64_t n = y; n < N; n += 32)
        sum += j < M ? data[n * M + j] : 0;
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
    centreKernel(const double *__restrict data, const double *__restrict mean, double *__restrict centred, int64_t M, int64_t N) {
    const int64_t j = int64_t(blockIdx.x) * 256 + threadIdx.x;
    for (int64_t n = blockIdx.y; n < N && j < M; n += gridDim.y)
        centred[n * M + j] = data[n * M + j] - mean[j];
}

BY_HAND covariance(double *cov, const double *data, int64_t M, int64_t N) {
    double *const centred = scratch<double>(N * M + M), *const mean = centred + N * M;
    if (!centred)
        return noMemory;
    static gpu::Blas library;
    Calls calls;
    calls.launch<meanKernel>({"mean", "", withBarriers}, gpu::blocks(M, 32), {32, 32}, data, mean, M, N);
    calls.launch<centreKernel>({"centre"}, {gpu::blocks(M, 256), N < 256 ? N : 256}, 256, data, mean, centred, M, N);
    if (calls.status == gpu::success)
        library.gemm(nullptr, gpu::Op::Transpose, gpu::Op::None, M, M, N, 1 / double(N - 1), centred, M, centred, M, 0.0, cov, M);
    return calls.finish();
}
