// gpu_atomic.h's words, locks and instructions on the emulated GPU: those of the host.
#pragma once

#include "sdfgc/rt/atomic.h"
#include "sdfgc/rt/gpu_atomic.h"

namespace sdfgc::gpu::detail {

template <class W> W loadWord(const W *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class W> auto swapWord(W *p, W expected, W desired) {
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
/// The same for a word that an array may own only in part: it extends beyond the array's end, but never beyond its page.
__attribute__((no_sanitize("address"))) inline unsigned loadAround(const AtomicWord32 *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
__attribute__((no_sanitize("address"))) inline unsigned swapAround(AtomicWord32 *p, unsigned expected, unsigned desired) {
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

template <class T, class Next> T updateLocked(T *p, Next next) {
    const rt::detail::StripeLock lock(p);
    const T old = *p;
    *p = static_cast<T>(next(old));
    return old;
}

#define SDFGC_ATOMIC_INSTRUCTION(name, instruction)                                                                                \
    static T name(T *p, T value) { return static_cast<T>(instruction(p, value, __ATOMIC_RELAXED)); }
template <class T, bool = isAtomicInteger<T>> struct Hardware {
    static constexpr bool integer = false, sums = false, compares = false;
};
template <class T> struct Hardware<T, true> {
    static constexpr bool integer = true, sums = true, compares = false;
    using Word = T;
    SDFGC_ATOMIC_INSTRUCTION(sum, __atomic_fetch_add)
    SDFGC_ATOMIC_INSTRUCTION(bitAnd, __atomic_fetch_and)
    SDFGC_ATOMIC_INSTRUCTION(bitOr, __atomic_fetch_or)
    SDFGC_ATOMIC_INSTRUCTION(bitXor, __atomic_fetch_xor)
    SDFGC_ATOMIC_INSTRUCTION(exchange, __atomic_exchange_n)
};
#undef SDFGC_ATOMIC_INSTRUCTION

} // namespace sdfgc::gpu::detail
