// vec<T, N>: N values of T that are computed together (dace::vec). vec<T, 1> is T itself.
//
// Rules (sdfg-format 3.2, 9.7, 9.8): memory holds the N values one after the other, aligned like T, so that vectors may lie
// anywhere in an array of T. Arithmetic is by elements; a scalar operand is converted to T first ("a vector type wins"); operands
// of different element types meet in the common one. Comparisons give vec<bool, N>; select(mask, a, b) is the conditional. min,
// max, abs as in math.h, by elements; vecmath.h has the functions of <cmath>. `{a, b}` sets the first elements and zeroes the rest,
// conversion from a scalar sets all. For numbers and a power-of-two N the operators use the vector extension of GCC and Clang;
// other elements (bool, complex, structs of lowp.h) and lengths use loops.
#pragma once

#include "sdfgc/rt/config.h"

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace sdfgc::rt {

namespace detail {
template <class T, int N> struct VecType { using type = Vec<T, N>; };
template <class T> struct VecType<T, 1> { using type = T; };

template <class T, int N>
inline constexpr bool hasNativeVector =
    std::is_arithmetic<T>::value && !std::is_same<T, bool>::value && !std::is_same<T, long double>::value && (N & (N - 1)) == 0;

#ifndef SDFGC_DEVICE_COMPILER
#define SDFGC_NATIVE_VECTORS 1
template <class T, int N> struct NativeVector { typedef T type __attribute__((vector_size(sizeof(T) * N))); };
#endif
} // namespace detail

template <class T, int N> using vec = typename detail::VecType<T, N>::type;

template <class T, int N> struct __attribute__((may_alias)) Vec {
    static_assert(N > 1, "vec<T, 1> is T");
    using value_type = T;

    T lane[N];

    Vec() = default;
    SDFGC_HD constexpr Vec(T value) : lane() {
        for (int i = 0; i < N; ++i)
            lane[i] = value;
    }
    SDFGC_HD constexpr Vec(std::initializer_list<T> values) : lane() {
        int i = 0;
        for (const T &value : values)
            if (i < N)
                lane[i++] = value;
    }
    /// By elements.
    template <class U, std::enable_if_t<!std::is_same<T, U>::value, int> = 0>
    SDFGC_HD constexpr explicit Vec(const Vec<U, N> &other) : lane() {
        for (int i = 0; i < N; ++i)
            lane[i] = static_cast<T>(other.lane[i]);
    }

    /// N elements from anywhere in memory, and back.
    SDFGC_HD static constexpr Vec load(const T *from) {
        Vec result{};
        for (int i = 0; i < N; ++i)
            result.lane[i] = from[i];
        return result;
    }
    SDFGC_HD constexpr void store(T *to) const {
        for (int i = 0; i < N; ++i)
            to[i] = lane[i];
    }

    SDFGC_HD constexpr T &operator[](int64_t i) { return lane[i]; }
    SDFGC_HD constexpr const T &operator[](int64_t i) const { return lane[i]; }
    SDFGC_HD static constexpr int size() { return N; }
};

template <class T, int N> struct Parts<Vec<T, N>> {
    using Part = T;
    static constexpr int count = N;
    static constexpr bool everyOperation = true;
};

namespace detail {
/// `U` can be the scalar operand of a Vec<T, N>.
template <class T, class U> using ScalarFor = std::enable_if_t<std::is_convertible<U, T>::value, int>;

template <class F, class T, int N> SDFGC_HD constexpr auto mapVec(const Vec<T, N> &a, F f) {
    using R = decltype(f(a.lane[0]));
    Vec<R, N> result{};
    for (int i = 0; i < N; ++i)
        result.lane[i] = f(a.lane[i]);
    return result;
}
} // namespace detail

// Arithmetic. GCC's vectors of one type are operated on in one piece; they are locals here because passing them by value depends on
// the instruction set.
#ifdef SDFGC_NATIVE_VECTORS
#define SDFGC_VEC_NATIVE(op)                                                                                                       \
    if constexpr (detail::hasNativeVector<T, N>) {                                                                                 \
        typename detail::NativeVector<T, N>::type x, y;                                                                            \
        __builtin_memcpy(&x, a.lane, sizeof x);                                                                                    \
        __builtin_memcpy(&y, b.lane, sizeof y);                                                                                    \
        x = x op y;                                                                                                                \
        __builtin_memcpy(result.lane, &x, sizeof x);                                                                               \
        return result;                                                                                                             \
    }
#else
#define SDFGC_VEC_NATIVE(op)
#endif

#define SDFGC_VEC_ARITHMETIC(op)                                                                                                   \
    template <class T, int N> SDFGC_HD inline Vec<T, N> operator op(const Vec<T, N> &a, const Vec<T, N> &b) {                      \
        Vec<T, N> result;                                                                                                          \
        SDFGC_VEC_NATIVE(op)                                                                                                       \
        for (int i = 0; i < N; ++i)                                                                                                \
            result.lane[i] = static_cast<T>(a.lane[i] op b.lane[i]);                                                               \
        return result;                                                                                                             \
    }                                                                                                                              \
    template <class T, class U, int N> SDFGC_HD inline auto operator op(const Vec<T, N> &a, const Vec<U, N> &b) {                  \
        using R = Vec<std::common_type_t<T, U>, N>;                                                                                \
        return R(a) op R(b);                                                                                                       \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0>                                                                \
    SDFGC_HD inline Vec<T, N> operator op(const Vec<T, N> &a, const U &b) {                                                        \
        return a op Vec<T, N>(static_cast<T>(b));                                                                                  \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0>                                                                \
    SDFGC_HD inline Vec<T, N> operator op(const U &a, const Vec<T, N> &b) {                                                        \
        return Vec<T, N>(static_cast<T>(a)) op b;                                                                                  \
    }                                                                                                                              \
    template <class T, int N, class U> SDFGC_HD inline Vec<T, N> &operator op##=(Vec<T, N> &a, const U &b) {                       \
        return a = Vec<T, N>(a op b);                                                                                              \
    }
SDFGC_VEC_ARITHMETIC(+)
SDFGC_VEC_ARITHMETIC(-)
SDFGC_VEC_ARITHMETIC(*)
SDFGC_VEC_ARITHMETIC(/)
SDFGC_VEC_ARITHMETIC(%)
SDFGC_VEC_ARITHMETIC(&)
SDFGC_VEC_ARITHMETIC(|)
SDFGC_VEC_ARITHMETIC(^)
SDFGC_VEC_ARITHMETIC(<<)
SDFGC_VEC_ARITHMETIC(>>)
#undef SDFGC_VEC_ARITHMETIC
#undef SDFGC_VEC_NATIVE

// Comparisons and logic: vectors of bool.
#define SDFGC_VEC_COMPARISON(op)                                                                                                   \
    template <class T, class U, int N> SDFGC_HD constexpr Vec<bool, N> operator op(const Vec<T, N> &a, const Vec<U, N> &b) {       \
        Vec<bool, N> result{};                                                                                                     \
        for (int i = 0; i < N; ++i)                                                                                                \
            result.lane[i] = a.lane[i] op b.lane[i];                                                                               \
        return result;                                                                                                             \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0>                                                                \
    SDFGC_HD constexpr Vec<bool, N> operator op(const Vec<T, N> &a, const U &b) {                                                  \
        return a op Vec<T, N>(static_cast<T>(b));                                                                                  \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0>                                                                \
    SDFGC_HD constexpr Vec<bool, N> operator op(const U &a, const Vec<T, N> &b) {                                                  \
        return Vec<T, N>(static_cast<T>(a)) op b;                                                                                  \
    }
SDFGC_VEC_COMPARISON(<)
SDFGC_VEC_COMPARISON(<=)
SDFGC_VEC_COMPARISON(>)
SDFGC_VEC_COMPARISON(>=)
SDFGC_VEC_COMPARISON(==)
SDFGC_VEC_COMPARISON(!=)
SDFGC_VEC_COMPARISON(&&)
SDFGC_VEC_COMPARISON(||)
#undef SDFGC_VEC_COMPARISON

template <class T, int N> SDFGC_HD constexpr Vec<T, N> operator+(const Vec<T, N> &a) { return a; }
template <class T, int N> SDFGC_HD constexpr Vec<T, N> operator-(const Vec<T, N> &a) {
    return detail::mapVec(a, [](T x) { return static_cast<T>(-x); });
}
template <class T, int N> SDFGC_HD constexpr Vec<T, N> operator~(const Vec<T, N> &a) {
    return detail::mapVec(a, [](T x) { return static_cast<T>(~x); });
}
template <class T, int N> SDFGC_HD constexpr Vec<bool, N> operator!(const Vec<T, N> &a) {
    return detail::mapVec(a, [](T x) { return !x; });
}

/// The elements of a where mask is true, of b elsewhere.
template <class M, class T, int N>
SDFGC_HD constexpr Vec<T, N> select(const Vec<M, N> &mask, const Vec<T, N> &a, const Vec<T, N> &b) {
    Vec<T, N> result{};
    for (int i = 0; i < N; ++i)
        result.lane[i] = mask.lane[i] ? a.lane[i] : b.lane[i];
    return result;
}
template <class M, class T, int N, class U, detail::ScalarFor<T, U> = 0>
SDFGC_HD constexpr Vec<T, N> select(const Vec<M, N> &mask, const Vec<T, N> &a, const U &b) {
    return select(mask, a, Vec<T, N>(static_cast<T>(b)));
}
template <class M, class T, int N, class U, detail::ScalarFor<T, U> = 0>
SDFGC_HD constexpr Vec<T, N> select(const Vec<M, N> &mask, const U &a, const Vec<T, N> &b) {
    return select(mask, Vec<T, N>(static_cast<T>(a)), b);
}

/// All elements are true; at least one is.
template <class T, int N> SDFGC_HD constexpr bool all(const Vec<T, N> &a) {
    for (int i = 0; i < N; ++i)
        if (!a.lane[i])
            return false;
    return true;
}
template <class T, int N> SDFGC_HD constexpr bool any(const Vec<T, N> &a) {
    for (int i = 0; i < N; ++i)
        if (a.lane[i])
            return true;
    return false;
}

#define SDFGC_VEC_EXTREMUM(name, op)                                                                                               \
    template <class T, int N> SDFGC_HD constexpr Vec<T, N> name(const Vec<T, N> &a, const Vec<T, N> &b) {                          \
        return select(a op b, a, b);                                                                                               \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0>                                                                \
    SDFGC_HD constexpr Vec<T, N> name(const Vec<T, N> &a, const U &b) {                                                            \
        return name(a, Vec<T, N>(static_cast<T>(b)));                                                                              \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0>                                                                \
    SDFGC_HD constexpr Vec<T, N> name(const U &a, const Vec<T, N> &b) {                                                            \
        return name(Vec<T, N>(static_cast<T>(a)), b);                                                                              \
    }
SDFGC_VEC_EXTREMUM(min, <)
SDFGC_VEC_EXTREMUM(max, >)
#undef SDFGC_VEC_EXTREMUM

template <class T, int N> SDFGC_HD constexpr Vec<T, N> abs(const Vec<T, N> &a) {
    return detail::mapVec(a, [](T x) { return x < T(0) ? static_cast<T>(-x) : static_cast<T>(x + T(0)); }); // + 0 turns -0 into 0
}

} // namespace sdfgc::rt
