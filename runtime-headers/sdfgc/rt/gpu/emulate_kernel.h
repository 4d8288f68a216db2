// Functions that kernels call on the emulated GPU: thread indices, shared memory, barriers, shuffles, votes, atomics.
//
// Rules: names and meanings are CUDA's. The threads of a block run on one thread of the host: as fibers if the launch says that
// they wait for each other (Launch::barriers), else one after the other. It is reported if not all threads of the block or mask
// reach a barrier or warp function, or if one is called in a launch without Launch::barriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#if defined(__SANITIZE_THREAD__)
#define SDFGC_EMULATE_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SDFGC_EMULATE_TSAN
#endif
#endif

#ifndef SDFGC_WARP_SIZE
#define SDFGC_WARP_SIZE 32
#endif

#define SDFGC_KERNEL
#define SDFGC_DEVICE
#define SDFGC_PRAGMA(text) _Pragma(#text)
#define SDFGC_UNROLL(n) SDFGC_PRAGMA(GCC unroll n)
#define SDFGC_SHARED(T, name, count)                                                                                               \
    static char name##_key;                                                                                                        \
    T *const name = static_cast<T *>(::sdfgc::gpu::emulate::sharedMemory(&name##_key, sizeof(T) * (count), #name))
#define SDFGC_DYNAMIC_SHARED(T, name) T *const name = static_cast<T *>(::sdfgc::gpu::emulate::dynamicSharedMemory())

// CUDA's keywords, for hand-written C++ in a graph. Such shared memory is not filled with the pattern.
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local

namespace sdfgc::gpu::emulate {

template <class T> struct PlainType { using type = T; };
/// T as a parameter type from which T is not deduced.
template <class T> using Plain = typename PlainType<T>::type;

/// threadIdx and its relatives.
struct Index3 {
    unsigned x, y, z;
};

/// A kernel with its arguments.
class KernelBody {
public:
    virtual ~KernelBody() = default;
    /// Runs the thread that threadIdx and blockIdx name.
    virtual void runThread() const = 0;
    /// Runs these threads of the block that blockIdx names, one after the other.
    virtual void runBlock(const Index3 *threads, unsigned count) const = 0;
};

/// The source location of a barrier or warp function.
struct Place {
    const char *function, *file;
    int line;
};

void *sharedMemory(const void *key, size_t bytes, const char *name);
void *dynamicSharedMemory();

enum class BlockVote { None, Count, And, Or };
/// A barrier of the block; the vote's result.
int blockBarrier(BlockVote vote, int predicate, const Place &place);
/// A barrier of all blocks.
void gridBarrier(const Place &place);

/// The lanes of `mask` exchange values: each gives `bytes` bytes at `value` and gets those of the lane `source` into `result`, or,
/// if that is not one of them, its own.
void warpExchange(uint64_t mask, const void *value, void *result, unsigned bytes, int source, const Place &place);
/// The lanes of `mask` for which `predicate` holds.
uint64_t warpVote(uint64_t mask, bool predicate, const Place &place);
uint64_t activeLanes();
int laneIndex();

} // namespace sdfgc::gpu::emulate

// The TLS model must not need static space, which is scarce: programs are loaded with dlopen.
#define SDFGC_EMULATED_INDEX inline thread_local sdfgc::gpu::emulate::Index3
SDFGC_EMULATED_INDEX threadIdx{0, 0, 0};
SDFGC_EMULATED_INDEX blockIdx{0, 0, 0};
SDFGC_EMULATED_INDEX blockDim{1, 1, 1};
SDFGC_EMULATED_INDEX gridDim{1, 1, 1};
#undef SDFGC_EMULATED_INDEX
inline constexpr int warpSize = SDFGC_WARP_SIZE;

// The call's location is a default argument. It distinguishes two barriers even if the compiler moves code.
#define SDFGC_EMULATED_PLACE                                                                                                       \
    const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SDFGC_EMULATED_HERE                                                                                                        \
    sdfgc::gpu::emulate::Place { function, file, line }

inline void __syncthreads(SDFGC_EMULATED_PLACE) {
    sdfgc::gpu::emulate::blockBarrier(sdfgc::gpu::emulate::BlockVote::None, 0, SDFGC_EMULATED_HERE);
}
inline int __syncthreads_count(int predicate, SDFGC_EMULATED_PLACE) {
    return sdfgc::gpu::emulate::blockBarrier(sdfgc::gpu::emulate::BlockVote::Count, predicate, SDFGC_EMULATED_HERE);
}
inline int __syncthreads_and(int predicate, SDFGC_EMULATED_PLACE) {
    return sdfgc::gpu::emulate::blockBarrier(sdfgc::gpu::emulate::BlockVote::And, predicate, SDFGC_EMULATED_HERE);
}
inline int __syncthreads_or(int predicate, SDFGC_EMULATED_PLACE) {
    return sdfgc::gpu::emulate::blockBarrier(sdfgc::gpu::emulate::BlockVote::Or, predicate, SDFGC_EMULATED_HERE);
}
inline void __syncwarp(uint64_t mask = ~uint64_t(0), SDFGC_EMULATED_PLACE) {
    sdfgc::gpu::emulate::warpVote(mask, false, SDFGC_EMULATED_HERE);
}

inline uint64_t __ballot_sync(uint64_t mask, int predicate, SDFGC_EMULATED_PLACE) {
    return sdfgc::gpu::emulate::warpVote(mask, predicate != 0, SDFGC_EMULATED_HERE);
}
inline int __any_sync(uint64_t mask, int predicate, SDFGC_EMULATED_PLACE) {
    return sdfgc::gpu::emulate::warpVote(mask, predicate != 0, SDFGC_EMULATED_HERE) != 0;
}
inline int __all_sync(uint64_t mask, int predicate, SDFGC_EMULATED_PLACE) {
    return sdfgc::gpu::emulate::warpVote(mask, predicate == 0, SDFGC_EMULATED_HERE) == 0;
}
inline uint64_t __activemask() { return sdfgc::gpu::emulate::activeLanes(); }

namespace sdfgc::gpu::emulate {

template <class T> T shuffle(uint64_t mask, const T &value, int source, const Place &place) {
    static_assert(std::is_trivially_copyable<T>::value, "shuffles copy the value's bytes");
    T result = value;
    warpExchange(mask, &value, &result, sizeof(T), source, place);
    return result;
}

/// The lane's segment of `width` lanes begins here.
inline int segment(int width) { return laneIndex() & ~(width - 1); }

} // namespace sdfgc::gpu::emulate

// A lane outside the segment gives the caller's own value.
template <class T> T __shfl_sync(uint64_t mask, T value, int source, int width = warpSize, SDFGC_EMULATED_PLACE) {
    namespace emulate = sdfgc::gpu::emulate;
    return emulate::shuffle(mask, value, emulate::segment(width) + (source & (width - 1)), SDFGC_EMULATED_HERE);
}
template <class T> T __shfl_up_sync(uint64_t mask, T value, unsigned delta, int width = warpSize, SDFGC_EMULATED_PLACE) {
    namespace emulate = sdfgc::gpu::emulate;
    const int source = emulate::laneIndex() - static_cast<int>(delta);
    return emulate::shuffle(mask, value, source < emulate::segment(width) ? emulate::laneIndex() : source, SDFGC_EMULATED_HERE);
}
template <class T> T __shfl_down_sync(uint64_t mask, T value, unsigned delta, int width = warpSize, SDFGC_EMULATED_PLACE) {
    namespace emulate = sdfgc::gpu::emulate;
    const int source = emulate::laneIndex() + static_cast<int>(delta);
    return emulate::shuffle(mask, value, source >= emulate::segment(width) + width ? emulate::laneIndex() : source,
                            SDFGC_EMULATED_HERE);
}
template <class T> T __shfl_xor_sync(uint64_t mask, T value, int lanes, int width = warpSize, SDFGC_EMULATED_PLACE) {
    namespace emulate = sdfgc::gpu::emulate;
    const int source = emulate::laneIndex() ^ lanes;
    return emulate::shuffle(mask, value, source >= emulate::segment(width) + width ? emulate::laneIndex() : source,
                            SDFGC_EMULATED_HERE);
}

// HIP's forms: all lanes take part.
template <class T> T __shfl(T value, int source, int width = warpSize, SDFGC_EMULATED_PLACE) {
    return __shfl_sync(~uint64_t(0), value, source, width, function, file, line);
}
template <class T> T __shfl_up(T value, unsigned delta, int width = warpSize, SDFGC_EMULATED_PLACE) {
    return __shfl_up_sync(~uint64_t(0), value, delta, width, function, file, line);
}
template <class T> T __shfl_down(T value, unsigned delta, int width = warpSize, SDFGC_EMULATED_PLACE) {
    return __shfl_down_sync(~uint64_t(0), value, delta, width, function, file, line);
}
template <class T> T __shfl_xor(T value, int lanes, int width = warpSize, SDFGC_EMULATED_PLACE) {
    return __shfl_xor_sync(~uint64_t(0), value, lanes, width, function, file, line);
}
inline uint64_t __ballot(int predicate, SDFGC_EMULATED_PLACE) {
    return __ballot_sync(~uint64_t(0), predicate, function, file, line);
}

#undef SDFGC_EMULATED_HERE
#undef SDFGC_EMULATED_PLACE

// Bit functions and fences.
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
inline int __clzll(long long value) { return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value)); }
inline void __threadfence() {
#ifdef SDFGC_EMULATE_TSAN // it does not support fences: an update of one variable orders as much
    static int last = 0;
    __atomic_fetch_add(&last, 1, __ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
template <class T> T __ldg(const T *pointer) { return *pointer; }

// CUDA's atomics, with its names; the old value is returned.
template <class T> T atomicCAS(T *p, sdfgc::gpu::emulate::Plain<T> expected, sdfgc::gpu::emulate::Plain<T> desired) {
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
#define SDFGC_EMULATED_ATOMIC(name, expression)                                                                                    \
    template <class T> T name(T *p, sdfgc::gpu::emulate::Plain<T> value) {                                                         \
        T old, next;                                                                                                               \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                                                                  \
        do                                                                                                                         \
            next = static_cast<T>(expression);                                                                                     \
        while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));                             \
        return old;                                                                                                                \
    }
SDFGC_EMULATED_ATOMIC(atomicAdd, old + value)
SDFGC_EMULATED_ATOMIC(atomicSub, old - value)
SDFGC_EMULATED_ATOMIC(atomicMin, old < value ? old : value)
SDFGC_EMULATED_ATOMIC(atomicMax, old > value ? old : value)
SDFGC_EMULATED_ATOMIC(atomicAnd, old &value)
SDFGC_EMULATED_ATOMIC(atomicOr, old | value)
SDFGC_EMULATED_ATOMIC(atomicXor, old ^ value)
SDFGC_EMULATED_ATOMIC(atomicExch, value)
SDFGC_EMULATED_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
SDFGC_EMULATED_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef SDFGC_EMULATED_ATOMIC
