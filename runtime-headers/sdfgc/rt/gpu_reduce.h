// Reductions by the threads of a warp, a block and a grid, without a library.
//
// Rules: `op(a, b)` must be associative up to rounding and `identity` its neutral element. The order of operations depends on the
// sizes of warp, block and grid only, so that results of floating point are the same in every run (not across devices with other
// warps). Threads without an element give `identity`. All threads of the warp or block must call a function together, outside of
// conditions that differ between them; launch with Launch::barriers. Types as in gpu_warp.h.
//
//   SDFGC_KERNEL void sum(const double *A, double *total, int64_t N) {
//       double mine = 0;
//       for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < N; i += int64_t(gridDim.x) * blockDim.x)
//           mine += A[i];
//       const double sum = gpu::blockReduce(mine, [](double a, double b) { return a + b; }, 0.0);
//       if (gpu::linearThread() == 0)
//           gpu::atomicSum(total, sum);
//   }
#pragma once

#include "sdfgc/rt/gpu_warp.h"

#if defined(SDFGC_GPU_EMULATE) || defined(__CUDACC__) || defined(__HIPCC__)

namespace sdfgc::gpu {

/// Combines the values of the warp's lanes; the result is in lane 0, and undefined in the others.
template <class T, class F> SDFGC_DEVICE T warpReduce(T value, F op, const T &identity) {
    const int lane = laneOfWarp(), lanes = lanesOfWarp();
    for (int distance = SDFGC_WARP_SIZE / 2; distance > 0; distance /= 2) {
        const T other = fromLane(value, lane + distance);
        value = op(value, lane + distance < lanes ? other : identity);
    }
    return value;
}

/// The same with the result in all lanes.
template <class T, class F> SDFGC_DEVICE T warpReduceAll(const T &value, F op, const T &identity) {
    return fromLane(warpReduce(value, op, identity), 0);
}

/// Each lane gets the combination of the lanes up to itself.
template <class T, class F> SDFGC_DEVICE T warpScan(T value, F op) {
    const int lane = laneOfWarp();
    for (int distance = 1; distance < SDFGC_WARP_SIZE; distance *= 2) {
        const T other = fromLane(value, lane - distance);
        if (lane >= distance)
            value = op(other, value);
    }
    return value;
}

/// Combines the values of the block's threads; the result is in the thread with linearThread() == 0, and undefined in the others.
/// Uses shared memory for one value of each of at most 1024 / SDFGC_WARP_SIZE warps; may be called again at once.
template <class T, class F> SDFGC_DEVICE T blockReduce(T value, F op, const T &identity) {
    constexpr int mostWarps = 1024 / SDFGC_WARP_SIZE;
    SDFGC_SHARED(T, partial, mostWarps);
    value = warpReduce(value, op, identity);
    const int warps = (static_cast<int>(blockDim.x * blockDim.y * blockDim.z) + SDFGC_WARP_SIZE - 1) / SDFGC_WARP_SIZE;
    if (warps == 1) // of all threads of the block alike
        return value;
    if (laneOfWarp() == 0)
        partial[warpOfBlock()] = value;
    __syncthreads();
    if (warpOfBlock() == 0) {
        value = laneOfWarp() < warps ? partial[laneOfWarp()] : identity;
        for (int i = laneOfWarp() + SDFGC_WARP_SIZE; i < warps; i += SDFGC_WARP_SIZE)
            value = op(value, partial[i]);
        value = warpReduce(value, op, identity);
    }
    __syncthreads(); // the next call writes `partial` again
    return value;
}

/// The same with the result in all threads.
template <class T, class F> SDFGC_DEVICE T blockReduceAll(const T &value, F op, const T &identity) {
    SDFGC_SHARED(T, total, 1);
    const T result = blockReduce(value, op, identity);
    if (linearThread() == 0)
        total[0] = result;
    __syncthreads();
    const T everyones = total[0];
    __syncthreads();
    return everyones;
}

/// Combines the values of all threads of the grid without a second kernel and without depending on the order of blocks: every block
/// writes its result to `partial[block]` (as many as blocks), and the last one to come combines them. `*counter` counts the blocks:
/// it must be 0 before the launch and is 0 again after it. True in the one thread that has the total in `total`; false in the others.
template <class T, class F>
SDFGC_DEVICE bool gridReduce(const T &value, F op, const T &identity, T *partial, unsigned *counter, T &total) {
    SDFGC_SHARED(unsigned, arrived, 1);
    const unsigned blockCount = gridDim.x * gridDim.y * gridDim.z;
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const T mine = blockReduce(value, op, identity);
    if (linearThread() == 0) {
        partial[block] = mine;
        __threadfence(); // the value before the count
        arrived[0] = ::atomicAdd(counter, 1u);
    }
    __syncthreads();
    const bool last = arrived[0] == blockCount - 1;
    __syncthreads();
    if (!last)
        return false;
    __threadfence(); // the count before the values
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    T sum = identity;
    for (unsigned i = static_cast<unsigned>(linearThread()); i < blockCount; i += threads)
        sum = op(sum, partial[i]);
    total = blockReduce(sum, op, identity);
    if (linearThread() != 0)
        return false;
    *counter = 0;
    return true;
}

// Operations for the functions above.
struct Sum {
    template <class T> SDFGC_DEVICE T operator()(const T &a, const T &b) const { return static_cast<T>(a + b); }
};
struct Product {
    template <class T> SDFGC_DEVICE T operator()(const T &a, const T &b) const { return static_cast<T>(a * b); }
};
struct Min {
    template <class T> SDFGC_DEVICE T operator()(const T &a, const T &b) const { return a < b ? a : b; }
};
struct Max {
    template <class T> SDFGC_DEVICE T operator()(const T &a, const T &b) const { return a > b ? a : b; }
};

} // namespace sdfgc::gpu

#endif
