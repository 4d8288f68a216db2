// The largest radius; then 256 rings per block against 4096 points, which pass through shared memory, and each thread keeps the sum
// of one ring; then the sums of all blocks. The same comparisons as in the graph: a histogram would need far fewer.
#include "by_hand.h"

using namespace by_hand;

constexpr int threads = 256, chunk = 4096;

SDFGC_KERNEL void __launch_bounds__(threads)
    largestRadiusKernel(const double *__restrict radius, unsigned long long *__restrict most, int64_t N) {
    double value = 0;
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < N; i += int64_t(gridDim.x) * threads)
        value = radius[i] > value ? radius[i] : value;
    value = maxOfLanes<32>(value);
    unsigned long long bits; // of numbers that are not negative, these have the same order
    __builtin_memcpy(&bits, &value, sizeof bits);
    if (threadIdx.x % 32 == 0)
        atomicMax(most, bits);
}

SDFGC_KERNEL void __launch_bounds__(threads)
    ringsKernel(const double *__restrict data, const double *__restrict radius, const double *__restrict most,
                double *__restrict sums, int *__restrict counts, int64_t N, int64_t rings) {
    SDFGC_SHARED(double, r, threads);
    SDFGC_SHARED(double, d, threads);
    const int me = threadIdx.x;
    const int64_t ring = int64_t(blockIdx.x) * threads + me;
    const double low = *most * double(ring) / double(rings), high = *most * double(ring + 1) / double(rings);
    const int64_t begin = int64_t(blockIdx.y) * chunk, end = N < begin + chunk ? N : begin + chunk;
    double sum = 0;
    int count = 0;
    for (int64_t tile = begin; tile < end; tile += threads) {
        r[me] = tile + me < end ? radius[tile + me] : -1;
        d[me] = tile + me < end ? data[tile + me] : 0;
        __syncthreads();
        SDFGC_UNROLL(8)
        for (int i = 0; i < threads; ++i)
            if (low <= r[i] && r[i] < high) {
                sum += d[i];
                ++count;
            }
        __syncthreads();
    }
    if (ring < rings) {
        sums[blockIdx.y * rings + ring] = sum;
        counts[blockIdx.y * rings + ring] = count;
    }
}

SDFGC_KERNEL void __launch_bounds__(threads) ringMeansKernel(const double *__restrict sums, const int *__restrict counts,
                                                             double *__restrict out, int64_t rings, int64_t chunks) {
    const int64_t ring = int64_t(blockIdx.x) * 32 + threadIdx.x;
    SDFGC_SHARED(double, sum, threads);
    SDFGC_SHARED(int, count, threads);
    const int me = int(threadIdx.y) * 32 + int(threadIdx.x);
    sum[me] = 0;
    count[me] = 0;
    for (int64_t c = threadIdx.y; c < chunks && ring < rings; c += 8) {
        sum[me] += sums[c * rings + ring];
        count[me] += counts[c * rings + ring];
    }
    __syncthreads();
    if (threadIdx.y == 0 && ring < rings) {
        double total = 0;
        int points = 0;
        for (int y = 0; y < 8; ++y) {
            total += sum[y * 32 + me];
            points += count[y * 32 + me];
        }
        out[ring] = total / points;
    }
}

BY_HAND azimint_naive(const double *data, double *out, const double *radius, int64_t N, int64_t NPT) {
    const int64_t chunks = gpu::blocks(N, chunk), blocks = gpu::blocks(N, threads);
    double *const most = scratch<double>(1 + chunks * NPT), *const sums = most + 1;
    int *const counts = scratch<int>(chunks * NPT);
    if (!most || !counts)
        return noMemory;
    Calls calls;
    calls.clear(most, sizeof(double));
    calls.launch<largestRadiusKernel>({"largest", "", withBarriers}, blocks < 1024 ? blocks : 1024, threads, radius,
                                      reinterpret_cast<unsigned long long *>(most), N);
    calls.launch<ringsKernel>({"rings", "", withBarriers}, {gpu::blocks(NPT, threads), chunks}, threads, data, radius, most, sums,
                              counts, N, NPT);
    calls.launch<ringMeansKernel>({"means", "", withBarriers}, gpu::blocks(NPT, 32), {32, 8}, sums, counts, out, NPT, chunks);
    return calls.finish();
}
