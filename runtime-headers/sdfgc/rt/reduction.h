// dace::wcr_fixed and dace::wcr_custom, for C++ tasklets and global code in files that call DaCe's runtime directly. Generated code
// uses plain assignments and atomic.h.
//
// Rules (codegen-semantics 19.3): reduce() and reduce_atomic() do `*ptr = f(*ptr, value)` and return the old value; f of the fixed
// kinds is the ReductionType's operation. The numbers of ReductionType are DaCe's. vreduce folds the elements of a vector first,
// then updates once.
#pragma once

#include "sdfgc/rt/atomic.h"

namespace dace {

enum class ReductionType {
    Custom = 0,
    Min = 1,
    Max = 2,
    Sum = 3,
    Product = 4,
    Logical_And = 5,
    Bitwise_And = 6,
    Logical_Or = 7,
    Bitwise_Or = 8,
    Logical_Xor = 9,
    Bitwise_Xor = 10,
    Min_Location = 11,
    Max_Location = 12,
    Exchange = 13
};

namespace detail {

/// One step of a reduction, plain and atomic.
template <ReductionType kind> struct ReductionStep;
#define SDFGC_REDUCTION_STEP(kind, expression, atomicName)                                                                         \
    template <> struct ReductionStep<ReductionType::kind> {                                                                        \
        template <class T> static constexpr T apply(const T &a, const T &b) {                                                      \
            (void)a;                                                                                                               \
            return static_cast<T>(expression);                                                                                     \
        }                                                                                                                          \
        template <class T> static T applyAtomic(T *p, const T &b) { return sdfgc::rt::atomicName(p, b); }                          \
    };
SDFGC_REDUCTION_STEP(Min, (a < b ? a : b), atomic_min)
SDFGC_REDUCTION_STEP(Max, (a > b ? a : b), atomic_max)
SDFGC_REDUCTION_STEP(Sum, (a + b), atomic_add)
SDFGC_REDUCTION_STEP(Product, (a * b), atomic_mul)
SDFGC_REDUCTION_STEP(Logical_And, (a && b), atomic_logical_and)
SDFGC_REDUCTION_STEP(Bitwise_And, (a & b), atomic_and)
SDFGC_REDUCTION_STEP(Logical_Or, (a || b), atomic_logical_or)
SDFGC_REDUCTION_STEP(Bitwise_Or, (a | b), atomic_or)
SDFGC_REDUCTION_STEP(Logical_Xor, (!a != !b), atomic_logical_xor)
SDFGC_REDUCTION_STEP(Bitwise_Xor, (a ^ b), atomic_xor)
SDFGC_REDUCTION_STEP(Exchange, b, atomic_exchange)
#undef SDFGC_REDUCTION_STEP

/// Vectors combine by elements: their own comparison would not select.
template <ReductionType kind, class T> constexpr T combine(const T &a, const T &b) {
    if constexpr (sdfgc::rt::Parts<T>::everyOperation) {
        T result = a;
        for (int i = 0; i < sdfgc::rt::Parts<T>::count; ++i)
            result[i] = combine<kind>(a[i], b[i]);
        return result;
    } else
        return ReductionStep<kind>::apply(a, b);
}

} // namespace detail

template <ReductionType kind, class T> struct wcr_fixed {
    static T reduce(T *ptr, const T &value) {
        const T old = *ptr;
        *ptr = detail::combine<kind>(old, value);
        return old;
    }
    static T reduce_atomic(T *ptr, const T &value) { return detail::ReductionStep<kind>::applyAtomic(ptr, value); }

    /// The elements of a vector into one value.
    template <int N> static T vreduce(T *ptr, const sdfgc::rt::Vec<T, N> &value) { return reduce(ptr, fold(value)); }
    template <int N> static T vreduce_atomic(T *ptr, const sdfgc::rt::Vec<T, N> &value) { return reduce_atomic(ptr, fold(value)); }

    constexpr T operator()(const T &a, const T &b) const { return detail::combine<kind>(a, b); }

private:
    template <int N> static T fold(const sdfgc::rt::Vec<T, N> &value) {
        T result = value[0];
        for (int i = 1; i < N; ++i)
            result = detail::combine<kind>(result, value[i]);
        return result;
    }
};

template <class T> struct wcr_custom {
    /// `wcr(old, value)` gives the new value.
    template <class WCR> static T reduce(WCR wcr, T *ptr, const T &value) {
        const T old = *ptr;
        *ptr = wcr(old, value);
        return old;
    }
    template <class WCR> static T reduce_atomic(WCR wcr, T *ptr, const T &value) {
        return sdfgc::rt::atomic_update(ptr, value, wcr);
    }
};

} // namespace dace
