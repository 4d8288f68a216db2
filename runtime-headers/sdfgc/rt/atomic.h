// Atomic updates of ordinary memory: `*p = f(*p, value)` from several threads at once (write-conflict resolution,
// sdfg-format 6.10).
//
// Rules: every function returns the old value and orders nothing but the update itself (relaxed): the end of the parallel region
// orders the rest. All conflicting accesses of a parallel phase must go through these functions.
//   integers up to 8 bytes          the processor's instruction for + - & | ^ and exchange
//   1, 2, 4, 8, 16 bytes            compare-and-swap, where the address is a multiple of the size (16 bytes: with -mcx16)
//   vectors; + and - of complex     part by part: each part is updated atomically, the whole is not one indivisible step
//   everything else                 a lock chosen by the address, out of 64 per program. No lock is shared by all data
// The choice depends only on the type and the address, so all updates of one object use the same method.
#pragma once

#include "sdfgc/rt/config.h"

#include <cstdint>
#include <sched.h>
#include <type_traits>

namespace sdfgc::rt {

namespace detail {

// The unsigned integer that represents a value of this many bytes. may_alias: it accesses objects of other types.
template <int bytes> struct Word {
    static constexpr bool exists = false;
    typedef unsigned char type;
};
#define SDFGC_WORD(bytes, integer)                                                                                                 \
    template <> struct Word<bytes> {                                                                                               \
        static constexpr bool exists = true;                                                                                       \
        typedef integer type __attribute__((may_alias));                                                                           \
    };
SDFGC_WORD(1, uint8_t)
SDFGC_WORD(2, uint16_t)
SDFGC_WORD(4, uint32_t)
SDFGC_WORD(8, uint64_t)
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
__extension__ typedef unsigned __int128 Uint128;
SDFGC_WORD(16, Uint128)
#endif
#undef SDFGC_WORD

template <class T>
inline constexpr bool isAtomicInteger =
    std::is_integral<T>::value && !std::is_same<std::remove_cv_t<T>, bool>::value && sizeof(T) <= 8;

/// *p can be updated by compare-and-swap. Complex numbers and structs may lie at addresses that are not multiples of their size.
template <class T> inline bool isLockFree(const T *p) noexcept {
    if constexpr (!Word<sizeof(T)>::exists)
        return false;
    else
        return alignof(T) % sizeof(T) == 0 || reinterpret_cast<uintptr_t>(p) % sizeof(T) == 0;
}

/// One of 64 locks, each on a separate cache line, chosen by the cache line of the address.
class StripeLock {
public:
    explicit StripeLock(const void *address) noexcept : flag_(&flags()[(reinterpret_cast<uintptr_t>(address) >> 6) % count].taken) {
        for (int tries = 0; __atomic_test_and_set(flag_, __ATOMIC_ACQUIRE); ++tries)
            if (tries >= 64) // the holder was probably descheduled
                sched_yield();
    }
    StripeLock(const StripeLock &) = delete;
    StripeLock &operator=(const StripeLock &) = delete;
    ~StripeLock() { __atomic_clear(flag_, __ATOMIC_RELEASE); }

private:
    static constexpr int count = 64;
    struct alignas(64) Flag {
        bool taken = false;
    };
    static Flag *flags() noexcept {
        static Flag all[count];
        return all;
    }

    bool *flag_;
};

template <class T> inline typename Word<sizeof(T)>::type loadWord(const T *p) noexcept {
    typedef typename Word<sizeof(T)>::type W;
    W *word = reinterpret_cast<W *>(const_cast<std::remove_const_t<T> *>(p));
    if constexpr (sizeof(T) == 16)
        return __sync_val_compare_and_swap(word, W(0), W(0));
    else
        return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/// Replaces `expected` by `desired` in *p and returns whether it did; otherwise `expected` receives the current value.
template <class T, class W> inline bool compareExchange(T *p, W &expected, W desired) noexcept {
    typedef typename Word<sizeof(T)>::type Overlay;
    Overlay *word = reinterpret_cast<Overlay *>(p);
    if constexpr (sizeof(T) == 16) {
        const W found = __sync_val_compare_and_swap(word, expected, desired);
        const bool done = found == expected;
        expected = found;
        return done;
    } else
        return __atomic_compare_exchange_n(word, &expected, desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

template <class T, class W> inline T fromWord(const W &word) noexcept {
    T value;
    __builtin_memcpy(static_cast<void *>(&value), &word, sizeof value);
    return value;
}

/// *p = next(*p), by compare-and-swap or under a lock. Nothing is written if the value would not change.
template <class T, class Next> inline T update(T *p, Next next) {
    static_assert(std::is_trivially_copyable<T>::value, "atomic updates copy the value's bytes");
    if constexpr (Word<sizeof(T)>::exists) {
        if (isLockFree(p)) {
            auto expected = loadWord(p);
            for (;;) {
                const T old = fromWord<T>(expected), value = static_cast<T>(next(old));
                auto desired = expected;
                __builtin_memcpy(&desired, &value, sizeof value);
                if (desired == expected || compareExchange(p, expected, desired))
                    return old;
            }
        }
    }
    const StripeLock lock(p);
    const T old = *p;
    *p = static_cast<T>(next(old));
    return old;
}

/// Calls one(part pointer, part of value) for each part of *p; collects the old parts.
template <class T, class One> inline T updateParts(T *p, const T &value, One one) {
    using Part = typename Parts<T>::Part;
    Part *parts = reinterpret_cast<Part *>(p);
    const Part *values = reinterpret_cast<const Part *>(&value);
    T old = value;
    Part *olds = reinterpret_cast<Part *>(&old);
    for (int i = 0; i < Parts<T>::count; ++i)
        olds[i] = one(parts + i, values[i]);
    return old;
}

} // namespace detail

/// The current value, for reads while other threads update: conditions of consume scopes, dynamic bounds.
template <class T> inline T atomic_load(const T *p) {
    if constexpr (detail::Word<sizeof(T)>::exists)
        if (detail::isLockFree(p))
            return detail::fromWord<T>(detail::loadWord(p));
    const detail::StripeLock lock(p);
    return *p;
}

/// *p = f(*p, value). `f` may be called more than once, so it must not have side effects. It must not call other atomic updates.
template <class T, class F> inline T atomic_update(T *p, const Plain<T> &value, F f) {
    return detail::update(p, [&](const T &old) { return f(old, value); });
}

// SDFGC_ATOMIC(name, byParts, expression): one function from an expression over `old` and `value`; `byParts` says for which types
// with Parts the operation goes part by part.
#define SDFGC_ATOMIC(name, byParts, expression)                                                                                    \
    template <class T> inline T name(T *p, const Plain<T> &value) {                                                                \
        if constexpr (byParts)                                                                                                     \
            return detail::updateParts(p, value, [](auto *part, auto v) { return name(part, v); });                                \
        else                                                                                                                       \
            return detail::update(p, [&](const T &old) { return static_cast<T>(expression); });                                    \
    }
// The same with an instruction for integers.
#define SDFGC_ATOMIC_FETCH(name, byParts, instruction, expression)                                                                 \
    template <class T> inline T name(T *p, const Plain<T> &value) {                                                                \
        if constexpr (detail::isAtomicInteger<T>)                                                                                  \
            return static_cast<T>(instruction(p, value, __ATOMIC_RELAXED));                                                        \
        else if constexpr (byParts)                                                                                                \
            return detail::updateParts(p, value, [](auto *part, auto v) { return name(part, v); });                                \
        else                                                                                                                       \
            return detail::update(p, [&](const T &old) { return static_cast<T>(expression); });                                    \
    }

SDFGC_ATOMIC_FETCH(atomic_add, Parts<T>::count != 0, __atomic_fetch_add, old + value)
SDFGC_ATOMIC_FETCH(atomic_sub, Parts<T>::count != 0, __atomic_fetch_sub, old - value)
SDFGC_ATOMIC(atomic_mul, Parts<T>::everyOperation, old *value)
SDFGC_ATOMIC(atomic_div, Parts<T>::everyOperation, old / value)
SDFGC_ATOMIC(atomic_min, Parts<T>::everyOperation, old < value ? old : value)
SDFGC_ATOMIC(atomic_max, Parts<T>::everyOperation, old > value ? old : value)
SDFGC_ATOMIC_FETCH(atomic_and, Parts<T>::everyOperation, __atomic_fetch_and, old &value)
SDFGC_ATOMIC_FETCH(atomic_or, Parts<T>::everyOperation, __atomic_fetch_or, old | value)
SDFGC_ATOMIC_FETCH(atomic_xor, Parts<T>::everyOperation, __atomic_fetch_xor, old ^ value)
// Logical results are 0 and 1 in the type of *p. Xor is Python's `bool(a) != bool(b)`.
SDFGC_ATOMIC(atomic_logical_and, Parts<T>::everyOperation, old &&value)
SDFGC_ATOMIC(atomic_logical_or, Parts<T>::everyOperation, old || value)
SDFGC_ATOMIC(atomic_logical_xor, Parts<T>::everyOperation, !old != !value)

#undef SDFGC_ATOMIC_FETCH
#undef SDFGC_ATOMIC

/// *p = value.
template <class T> inline T atomic_exchange(T *p, const Plain<T> &value) {
    if constexpr (detail::isAtomicInteger<T>)
        return __atomic_exchange_n(p, value, __ATOMIC_RELAXED);
    else
        return detail::update(p, [&](const T &) { return value; });
}

} // namespace sdfgc::rt
