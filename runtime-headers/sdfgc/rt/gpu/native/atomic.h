// gpu_atomic.h's words, locks and instructions on CUDA's and HIP's devices.
#pragma once

#include "sdfgc/rt/gpu_atomic.h"

namespace sdfgc::gpu::detail {

template <class W> SDFGC_DEVICE inline auto loadWord(const W *p) { return *static_cast<const volatile W *>(p); }
SDFGC_DEVICE inline unsigned swapWord(AtomicWord32 *p, unsigned expected, unsigned desired) {
    return ::atomicCAS(reinterpret_cast<unsigned *>(p), expected, desired);
}
SDFGC_DEVICE inline unsigned long long swapWord(AtomicWord64 *p, unsigned long long expected, unsigned long long desired) {
    return ::atomicCAS(reinterpret_cast<unsigned long long *>(p), expected, desired);
}
SDFGC_DEVICE inline unsigned loadAround(const AtomicWord32 *p) { return loadWord(p); }
SDFGC_DEVICE inline unsigned swapAround(AtomicWord32 *p, unsigned expected, unsigned desired) {
    return swapWord(p, expected, desired);
}

template <int> __device__ unsigned atomicLocks[64];

/// Copies, bypassing the first-level cache, which may hold data older than the lock.
template <class T> SDFGC_DEVICE inline void copyVolatile(volatile T *to, const volatile T *from) {
    using Unit =
        std::conditional_t<alignof(T) % 8 == 0, AtomicWord64, std::conditional_t<alignof(T) % 4 == 0, AtomicWord32, unsigned char>>;
    for (size_t i = 0; i < sizeof(T) / sizeof(Unit); ++i)
        reinterpret_cast<volatile Unit *>(to)[i] = reinterpret_cast<const volatile Unit *>(from)[i];
}

/// The holder of the lock finishes within the same iteration of the loop, so lanes of one warp cannot wait for each other forever.
template <class T, class Next> SDFGC_DEVICE T updateLocked(T *p, Next next) {
    unsigned *const lock = &atomicLocks<0>[(reinterpret_cast<uintptr_t>(p) >> 6) % 64];
    T old{};
    for (bool done = false; !done;) {
        if (::atomicExch(lock, 1u) != 0)
            continue;
        __threadfence();
        copyVolatile<T>(&old, p);
        const T value = static_cast<T>(next(old));
        copyVolatile<T>(p, &value);
        __threadfence();
        ::atomicExch(lock, 0u);
        done = true;
    }
    return old;
}

#define SDFGC_ATOMIC_INSTRUCTION(name, instruction)                                                                                \
    SDFGC_DEVICE static T name(T *p, T value) {                                                                                    \
        return static_cast<T>(::instruction(reinterpret_cast<Word *>(p), static_cast<Word>(value)));                               \
    }
template <class T, bool = isAtomicInteger<T>> struct Hardware {
    static constexpr bool integer = false, compares = false;
    static constexpr bool sums = std::is_same<T, float>::value || std::is_same<T, double>::value;
    using Word = T;
    SDFGC_ATOMIC_INSTRUCTION(sum, atomicAdd)
};
template <class T> struct Hardware<T, true> {
    static constexpr bool integer = true, sums = true;
    using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    static constexpr bool compares = sizeof(T) == 4 || std::is_unsigned<T>::value || comparesSigned64;
    using Ordered = std::conditional_t<std::is_unsigned<T>::value, Word, std::conditional_t<sizeof(T) == 4, int, long long>>;
    SDFGC_DEVICE static T minimum(T *p, T value) {
        return static_cast<T>(::atomicMin(reinterpret_cast<Ordered *>(p), static_cast<Ordered>(value)));
    }
    SDFGC_DEVICE static T maximum(T *p, T value) {
        return static_cast<T>(::atomicMax(reinterpret_cast<Ordered *>(p), static_cast<Ordered>(value)));
    }
    SDFGC_ATOMIC_INSTRUCTION(sum, atomicAdd)
    SDFGC_ATOMIC_INSTRUCTION(bitAnd, atomicAnd)
    SDFGC_ATOMIC_INSTRUCTION(bitOr, atomicOr)
    SDFGC_ATOMIC_INSTRUCTION(bitXor, atomicXor)
    SDFGC_ATOMIC_INSTRUCTION(exchange, atomicExch)
};
#undef SDFGC_ATOMIC_INSTRUCTION

} // namespace sdfgc::gpu::detail
