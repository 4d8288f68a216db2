// A thread per point with the centres in shared memory; each warp sums the points of each centre in shared memory before its block
// adds to the sums of all. A second kernel divides. At most 512 coordinates of centres, and points of 2, 3, 4 or 8 coordinates, in
// registers.
#include "by_hand.h"

using namespace by_hand;

constexpr int threads = 256, warps = threads / 32, mostBlocks = 528, mostCoordinates = 512;

template <int D>
SDFGC_KERNEL void __launch_bounds__(threads)
    nearestKernel(const double *__restrict X, const double *__restrict C, int64_t *__restrict L, double *__restrict sums,
                  unsigned long long *__restrict counts, int K, int64_t N) {
    SDFGC_SHARED(double, centres, mostCoordinates);
    SDFGC_SHARED(double, allSums, warps *mostCoordinates);
    SDFGC_SHARED(unsigned, allCounts, warps *mostCoordinates / D);
    const int me = threadIdx.x;
    for (int i = me; i < K * D; i += threads)
        centres[i] = C[i];
    for (int i = me; i < warps * K * D; i += threads)
        allSums[i] = 0;
    for (int k = me; k < warps * K; k += threads)
        allCounts[k] = 0;
    double *const mySums = allSums + me / 32 * K * D;
    unsigned *const myCounts = allCounts + me / 32 * K;
    __syncthreads();
    for (int64_t i = int64_t(blockIdx.x) * threads + me; i < N; i += int64_t(gridDim.x) * threads) {
        double x[D];
        SDFGC_UNROLL(8)
        for (int d = 0; d < D; ++d)
            x[d] = X[i * D + d];
        double least = 0;
        int nearest = 0;
        for (int k = 0; k < K; ++k) {
            double distance = 0;
            SDFGC_UNROLL(8)
            for (int d = 0; d < D; ++d)
                distance += (x[d] - centres[k * D + d]) * (x[d] - centres[k * D + d]);
            if (k == 0 || distance < least) {
                least = distance;
                nearest = k;
            }
        }
        L[i] = nearest;
        SDFGC_UNROLL(8)
        for (int d = 0; d < D; ++d)
            atomicAdd(&mySums[nearest * D + d], x[d]);
        atomicAdd(&myCounts[nearest], 1u);
    }
    __syncthreads();
    for (int i = me; i < K * D; i += threads) {
        double sum = 0;
        for (int w = 0; w < warps; ++w)
            sum += allSums[w * K * D + i];
        atomicAdd(&sums[i], sum);
    }
    for (int k = me; k < K; k += threads) {
        unsigned long long count = 0;
        for (int w = 0; w < warps; ++w)
            count += allCounts[w * K + k];
        atomicAdd(&counts[k], count);
    }
}

SDFGC_KERNEL void __launch_bounds__(threads)
    centresKernel(const double *__restrict sums, const unsigned long long *__restrict counts, double *__restrict C, int D, int K) {
    const int i = int(blockIdx.x) * threads + int(threadIdx.x);
    if (i < K * D)
        C[i] = sums[i] / double(counts[i / D] == 0 ? 1 : counts[i / D]);
}

namespace {

template <int D> int step(double *C, int64_t *L, const double *X, int64_t K, int64_t N) {
    // Eight bytes of zeros are a sum as well as a count.
    double *const sums = scratch<double>(K * D + K);
    if (!sums)
        return noMemory;
    auto *const counts = reinterpret_cast<unsigned long long *>(sums + K * D);
    const int64_t blocks = gpu::blocks(N, threads);
    Calls calls;
    calls.clear(sums, (K * D + K) * int64_t(sizeof(double)));
    calls.launch<nearestKernel<D>>({"nearest", "", withBarriers}, blocks < mostBlocks ? blocks : mostBlocks, threads, X, C, L, sums,
                                   counts, int(K), N);
    calls.launch<centresKernel>({"centres"}, gpu::blocks(K * D, threads), threads, sums, counts, C, D, int(K));
    return calls.finish();
}

} // namespace

BY_HAND kmeans(double *C, int64_t *L, const double *X, int64_t D, int64_t K, int64_t N) {
    if (K * D > mostCoordinates)
        return notSupported;
    switch (D) {
    case 2:
        return step<2>(C, L, X, K, N);
    case 3:
        return step<3>(C, L, X, K, N);
    case 4:
        return step<4>(C, L, X, K, N);
    case 8:
        return step<8>(C, L, X, K, N);
    default:
        return notSupported;
    }
}
