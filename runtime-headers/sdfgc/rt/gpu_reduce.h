// Reductions by the threads of a warp, a block and a grid, without a library.
//
// Rules: `op(a, b)` must be associative up to rounding. The order of operations depends only on the sizes of warp, block and grid,
// so floating-point results are the same in every run (but not across devices with other warp sizes). Threads without an element
// pass the neutral element. All threads of the warp or block must call a function together, outside of divergent conditions; launch
// with Launch::barriers. Types as in gpu_warp.h.
//
//   SDFGC_KERNEL void sum(const double *A, double *total, int64_t N) {
//       double mine = 0;
//       for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < N; i += int64_t(gridDim.x) * blockDim.x)
//           mine += A[i];
//       gpu::blockSum(total, mine);
//   }
#pragma once

#include "sdfgc/rt/gpu_atomic.h"
#include "sdfgc/rt/gpu_warp.h"

#ifdef SDFGC_GPU_KERNELS

namespace sdfgc::gpu {

/// Combines the values of the warp's first `lanes` lanes; the result is in lane 0, and undefined in the others.
template <class T, class F> SDFGC_DEVICE T combineLanes(T value, F op, int lanes) {
    const int lane = laneOfWarp();
    for (int distance = SDFGC_WARP_SIZE / 2; distance > 0; distance /= 2) {
        const T other = fromLane(value, lane + distance);
        if (lane + distance < lanes)
            value = op(value, other);
    }
    return value;
}

/// Combines the values of the warp's lanes; the result is in lane 0, and undefined in the others.
template <class T, class F> SDFGC_DEVICE T warpReduce(const T &value, F op) { return combineLanes(value, op, lanesOfWarp()); }

/// The same with the result in all lanes.
template <class T, class F> SDFGC_DEVICE T warpReduceAll(const T &value, F op) { return fromLane(warpReduce(value, op), 0); }

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
template <class T, class F> SDFGC_DEVICE T blockReduce(T value, F op) {
    constexpr int mostWarps = 1024 / SDFGC_WARP_SIZE;
    SDFGC_SHARED(T, partial, mostWarps);
    value = warpReduce(value, op);
    const int warps = (static_cast<int>(blockDim.x * blockDim.y * blockDim.z) + SDFGC_WARP_SIZE - 1) / SDFGC_WARP_SIZE;
    if (warps == 1) // of all threads of the block alike
        return value;
    if (laneOfWarp() == 0)
        partial[warpOfBlock()] = value;
    __syncthreads();
    if (warpOfBlock() == 0) {
        static_assert(mostWarps <= SDFGC_WARP_SIZE, "each lane of the first warp, which is full, has one value at most");
        const T mine = partial[laneOfWarp() < warps ? laneOfWarp() : 0];
        value = combineLanes(mine, op, warps);
    }
    __syncthreads(); // the next call writes `partial` again
    return value;
}

/// The same with the result in all threads.
template <class T, class F> SDFGC_DEVICE T blockReduceAll(const T &value, F op) {
    SDFGC_SHARED(T, total, 1);
    const T result = blockReduce(value, op);
    if (linearThread() == 0)
        total[0] = result;
    __syncthreads();
    const T everyones = total[0];
    __syncthreads();
    return everyones;
}

/// Combines the values of the threads whose numbers in the block have the same remainder by `columns`, which divides the number of
/// threads; all of them get the result. Uses shared memory for one value of each thread; may be called again at once.
template <class T, class F> SDFGC_DEVICE T columnReduceAll(const T &value, F op, unsigned columns) {
    SDFGC_SHARED(T, values, 1024);
    const unsigned thread = static_cast<unsigned>(linearThread());
    T *const mine = values + thread;
    *mine = value;
    for (unsigned rows = blockDim.x * blockDim.y * blockDim.z / columns; rows > 1;) {
        const unsigned half = (rows + 1) / 2;
        __syncthreads();
        if (thread + half * columns < rows * columns)
            *mine = op(*mine, mine[half * columns]);
        rows = half;
    }
    __syncthreads();
    const T everyones = values[thread % columns];
    __syncthreads(); // the next call writes `values` again
    return everyones;
}

/// The same for the threads that have threadIdx.x in common, in a block of at most two dimensions.
template <class T, class F> SDFGC_DEVICE T columnReduceAll(const T &value, F op) { return columnReduceAll(value, op, blockDim.x); }

/// Combines the values of all threads of the grid without a second kernel and without depending on the order of blocks: every block
/// writes its result to `partial[block]`, and the last block to finish combines them. `*counter` counts the blocks: it must be 0
/// before the launch and is 0 again after it. `identity` is the neutral element of `op`. True in the one thread that has the total
/// in `total`; false in the others.
template <class T, class F>
SDFGC_DEVICE bool gridReduce(const T &value, F op, const T &identity, T *partial, unsigned *counter, T &total) {
    SDFGC_SHARED(unsigned, arrived, 1);
    const unsigned blockCount = gridDim.x * gridDim.y * gridDim.z;
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const T mine = blockReduce(value, op);
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
    total = blockReduce(sum, op);
    if (linearThread() != 0)
        return false;
    *counter = 0;
    return true;
}

// Operations for the functions above. Logical results are 0 and 1 in the type of the operands, as in gpu_atomic.h.
#define SDFGC_OPERATION(name, expression)                                                                                          \
    struct name {                                                                                                                  \
        template <class T> SDFGC_DEVICE T operator()(const T &a, const T &b) const { return static_cast<T>(expression); }          \
    };
SDFGC_OPERATION(Sum, a + b)
SDFGC_OPERATION(Product, a *b)
SDFGC_OPERATION(Min, a < b ? a : b)
SDFGC_OPERATION(Max, a > b ? a : b)
SDFGC_OPERATION(And, a &b)
SDFGC_OPERATION(Or, a | b)
SDFGC_OPERATION(Xor, a ^ b)
SDFGC_OPERATION(LogicalAnd, a &&b)
SDFGC_OPERATION(LogicalOr, a || b)
SDFGC_OPERATION(LogicalXor, !a != !b)
#undef SDFGC_OPERATION

// blockSum(p, value) and so on: *p is combined with the values of all threads of the block, by one atomic update.
#define SDFGC_BLOCK_UPDATE(name, Operation, atomic)                                                                                \
    template <class T> SDFGC_DEVICE void name(T *p, const rt::Plain<T> &value) {                                                   \
        const T ofBlock = blockReduce(value, Operation());                                                                         \
        if (linearThread() == 0)                                                                                                   \
            atomic(p, ofBlock);                                                                                                    \
    }
SDFGC_BLOCK_UPDATE(blockSum, Sum, atomicSum)
SDFGC_BLOCK_UPDATE(blockProduct, Product, atomicProduct)
SDFGC_BLOCK_UPDATE(blockMin, Min, atomicMin)
SDFGC_BLOCK_UPDATE(blockMax, Max, atomicMax)
SDFGC_BLOCK_UPDATE(blockAnd, And, atomicAnd)
SDFGC_BLOCK_UPDATE(blockOr, Or, atomicOr)
SDFGC_BLOCK_UPDATE(blockXor, Xor, atomicXor)
SDFGC_BLOCK_UPDATE(blockLogicalAnd, LogicalAnd, atomicLogicalAnd)
SDFGC_BLOCK_UPDATE(blockLogicalOr, LogicalOr, atomicLogicalOr)
SDFGC_BLOCK_UPDATE(blockLogicalXor, LogicalXor, atomicLogicalXor)
#undef SDFGC_BLOCK_UPDATE

} // namespace sdfgc::gpu

#endif
