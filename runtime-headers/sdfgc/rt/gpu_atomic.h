// Atomic updates of device memory by the threads of kernels: `*p = f(*p, value)` (write-conflict resolution, sdfg-format 6.10).
//
// Rules: every function returns the old value and orders nothing but the update itself. All conflicting accesses of a kernel must
// go through these functions; kernel boundaries and barriers order the rest.
//   integers of 4 and 8 bytes    the hardware's instruction for + - min max & | ^ and exchange
//   float and double             the hardware's instruction for + and -
//   4 and 8 bytes, otherwise     compare-and-swap of the word, where the address is a multiple of the size
//   1 and 2 bytes                compare-and-swap of the 4-byte word around them; its other bytes stay as they are
//   vectors; + and - of complex  part by part: each part is updated atomically, the whole is not one indivisible step
//   everything else              a lock chosen by the address, out of 64 per program; 16-byte types, too, since no device below
//                                sm_90 and no AMD device can swap 16 bytes
// The method depends only on the type, the kind of operation and the address, so updates of one object by one operation agree.
// Float sums flush subnormal numbers if the hardware's instruction does.
#pragma once

#include "sdfgc/rt/config.h"
#include "sdfgc/rt/gpu.h"

#include <type_traits>

#ifdef SDFGC_GPU_KERNELS

namespace sdfgc::gpu {

namespace detail {

// The hardware's words. may_alias: they are laid over objects of other types.
typedef unsigned AtomicWord32 __attribute__((may_alias));
typedef unsigned long long AtomicWord64 __attribute__((may_alias));
template <size_t bytes> struct AtomicWord { typedef AtomicWord32 type; };
template <> struct AtomicWord<8> { typedef AtomicWord64 type; };

template <class T>
inline constexpr bool isAtomicInteger =
    std::is_integral<T>::value && !std::is_same<std::remove_cv_t<T>, bool>::value && (sizeof(T) == 4 || sizeof(T) == 8);

template <class To, class From> SDFGC_DEVICE inline To copyBits(const From &from) {
    To to{};
    __builtin_memcpy(static_cast<void *>(&to), &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
    return to;
}

/// -value; modulo 2**bits for integers.
template <class T> SDFGC_DEVICE inline T negated(T value) {
    if constexpr (std::is_integral<T>::value)
        return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(value));
    else
        return -value;
}

} // namespace detail

} // namespace sdfgc::gpu

// Words, locks and instructions of the back end:
//   loadWord, swapWord, loadAround, swapAround   a word; `Around`: one that an array may own only in part
//   updateLocked(p, next)                        *p = next(*p) under one of the locks
//   Hardware<T>::sum(p, value) and so on         instructions; Hardware<T>::sums and so on say that they exist
#include SDFGC_GPU_HEADER(atomic)

namespace sdfgc::gpu {

namespace detail {

/// *p = next(*p) by compare-and-swap; sizeof(T) is 4 or 8 and p a multiple of it. Nothing is written if the value would not change.
template <class T, class Next> SDFGC_DEVICE T updateWord(T *p, Next next) {
    using Word = typename AtomicWord<sizeof(T)>::type;
    Word *const word = reinterpret_cast<Word *>(p);
    auto seen = loadWord(word);
    for (;;) {
        const T old = copyBits<T>(seen);
        const auto desired = copyBits<std::remove_cv_t<decltype(seen)>>(static_cast<T>(next(old)));
        if (desired == seen)
            return old;
        const auto found = swapWord(word, seen, desired);
        if (found == seen)
            return old;
        seen = found;
    }
}

/// The same for 1 and 2 bytes. Both vendors' devices are little-endian.
template <class T, class Next> SDFGC_DEVICE T updatePartOfWord(T *p, Next next) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(p);
    AtomicWord32 *const word = reinterpret_cast<AtomicWord32 *>(address & ~uintptr_t(3));
    const unsigned shift = 8 * static_cast<unsigned>(address & 3), mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
    unsigned seen = loadAround(word);
    for (;;) {
        const T old = copyBits<T>(seen >> shift);
        const unsigned desired = (seen & ~mask) | copyBits<unsigned>(static_cast<T>(next(old))) << shift;
        if (desired == seen)
            return old;
        const unsigned found = swapAround(word, seen, desired);
        if (found == seen)
            return old;
        seen = found;
    }
}

template <class T, class Next> SDFGC_DEVICE T update(T *p, Next next) {
    static_assert(std::is_trivially_copyable<T>::value, "atomic updates copy the value's bytes");
    if constexpr (sizeof(T) == 1 || (sizeof(T) == 2 && alignof(T) == 2))
        return updatePartOfWord(p, next);
    else if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        if (alignof(T) % sizeof(T) == 0 || reinterpret_cast<uintptr_t>(p) % sizeof(T) == 0)
            return updateWord(p, next);
        return updateLocked(p, next);
    } else
        return updateLocked(p, next);
}

/// Calls one(part pointer, part of value) for each part of *p; collects the old parts.
template <class T, class One> SDFGC_DEVICE T updateParts(T *p, const T &value, One one) {
    using Part = typename rt::Parts<T>::Part;
    Part *const parts = reinterpret_cast<Part *>(p);
    const Part *const values = reinterpret_cast<const Part *>(&value);
    T old = value;
    Part *const olds = reinterpret_cast<Part *>(&old);
    for (int i = 0; i < rt::Parts<T>::count; ++i)
        olds[i] = one(parts + i, values[i]);
    return old;
}

} // namespace detail

/// *p = f(*p, value). `f` may be called more than once, so it must not have side effects. It must not call atomic updates.
template <class T, class F> SDFGC_DEVICE T atomicUpdate(T *p, const rt::Plain<T> &value, F f) {
    return detail::update(p, [&](const T &old) { return f(old, value); });
}

// SDFGC_ATOMIC(name, byHardware, instruction, byParts, expression): one function. `byHardware` says for which T the expression
// `instruction` does it at once; `byParts` for which types with Parts the operation goes part by part.
#define SDFGC_ATOMIC(name, byHardware, instruction, byParts, expression)                                                           \
    template <class T> SDFGC_DEVICE T name(T *p, const rt::Plain<T> &value) {                                                      \
        using Hardware [[maybe_unused]] = detail::Hardware<T>;                                                                     \
        if constexpr (byHardware)                                                                                                  \
            return instruction;                                                                                                    \
        else if constexpr (byParts)                                                                                                \
            return detail::updateParts(p, value, [](auto *part, auto v) { return name(part, v); });                                \
        else                                                                                                                       \
            return detail::update(p, [&](const T &old) { return static_cast<T>(expression); });                                    \
    }

SDFGC_ATOMIC(atomicSum, Hardware::sums, Hardware::sum(p, value), rt::Parts<T>::count != 0, old + value)
SDFGC_ATOMIC(atomicDifference, Hardware::sums, Hardware::sum(p, detail::negated(value)), rt::Parts<T>::count != 0, old - value)
SDFGC_ATOMIC(atomicProduct, false, value, rt::Parts<T>::everyOperation, old *value)
SDFGC_ATOMIC(atomicQuotient, false, value, rt::Parts<T>::everyOperation, old / value)
SDFGC_ATOMIC(atomicMin, Hardware::compares, Hardware::minimum(p, value), rt::Parts<T>::everyOperation, old < value ? old : value)
SDFGC_ATOMIC(atomicMax, Hardware::compares, Hardware::maximum(p, value), rt::Parts<T>::everyOperation, old > value ? old : value)
SDFGC_ATOMIC(atomicAnd, Hardware::integer, Hardware::bitAnd(p, value), rt::Parts<T>::everyOperation, old &value)
SDFGC_ATOMIC(atomicOr, Hardware::integer, Hardware::bitOr(p, value), rt::Parts<T>::everyOperation, old | value)
SDFGC_ATOMIC(atomicXor, Hardware::integer, Hardware::bitXor(p, value), rt::Parts<T>::everyOperation, old ^ value)
// Logical results are 0 and 1 in the type of *p. Xor is Python's `bool(a) != bool(b)`.
SDFGC_ATOMIC(atomicLogicalAnd, false, value, rt::Parts<T>::everyOperation, old &&value)
SDFGC_ATOMIC(atomicLogicalOr, false, value, rt::Parts<T>::everyOperation, old || value)
SDFGC_ATOMIC(atomicLogicalXor, false, value, rt::Parts<T>::everyOperation, !old != !value)
#undef SDFGC_ATOMIC

/// *p = value.
template <class T> SDFGC_DEVICE T atomicExchange(T *p, const rt::Plain<T> &value) {
    if constexpr (detail::Hardware<T>::integer)
        return detail::Hardware<T>::exchange(p, value);
    else
        return detail::update(p, [&](const T &) { return value; });
}

} // namespace sdfgc::gpu

#endif
