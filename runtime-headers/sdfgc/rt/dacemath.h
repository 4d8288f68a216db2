// dace::math and dace::cmath, for C++ code in files that calls them.
//
// Rules (sdfg-format 9.7): a function's result has its argument's type, for integers too (math::sqrt(2) is 1: connector types are
// inferred that way). Arguments may be numbers, complex numbers, vec<T, N> and the constants pi and nan, which count as double. pow
// of two int or of two unsigned is an integer, with 0 for a negative exponent unless |base| is 1; other pairs go to std::pow.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/math.h"
#include "sdfgc/rt/typeless.h"
#include "sdfgc/rt/vecmath.h"

#include <cmath>

namespace dace {
namespace math {

inline constexpr sdfgc::rt::Typeless<sdfgc::rt::PiValue> pi{};
inline constexpr sdfgc::rt::Typeless<sdfgc::rt::NanValue> nan{};

namespace detail {
/// What a function of a T computes in and returns.
template <class T> struct ValueOf { using type = T; };
template <class V> struct ValueOf<sdfgc::rt::Typeless<V>> { using type = double; };
template <class T> using Value = typename ValueOf<T>::type;
} // namespace detail

// Vectors and complex numbers are found by their namespaces, numbers by the using declaration.
#define SDFGC_DACE_FUNCTION(name)                                                                                                  \
    template <class T> inline detail::Value<T> name(const T &a) {                                                                  \
        using std::name;                                                                                                           \
        return static_cast<detail::Value<T>>(name(static_cast<detail::Value<T>>(a)));                                              \
    }
SDFGC_DACE_FUNCTION(exp)
SDFGC_DACE_FUNCTION(sin)
SDFGC_DACE_FUNCTION(asin)
SDFGC_DACE_FUNCTION(sinh)
SDFGC_DACE_FUNCTION(asinh)
SDFGC_DACE_FUNCTION(cos)
SDFGC_DACE_FUNCTION(acos)
SDFGC_DACE_FUNCTION(cosh)
SDFGC_DACE_FUNCTION(acosh)
SDFGC_DACE_FUNCTION(tan)
SDFGC_DACE_FUNCTION(atan)
SDFGC_DACE_FUNCTION(tanh)
SDFGC_DACE_FUNCTION(atanh)
SDFGC_DACE_FUNCTION(sqrt)
SDFGC_DACE_FUNCTION(cbrt)
SDFGC_DACE_FUNCTION(log)
SDFGC_DACE_FUNCTION(log10)
SDFGC_DACE_FUNCTION(lgamma)
SDFGC_DACE_FUNCTION(tgamma)
SDFGC_DACE_FUNCTION(floor)
SDFGC_DACE_FUNCTION(ceil)
SDFGC_DACE_FUNCTION(trunc)
SDFGC_DACE_FUNCTION(erf)
SDFGC_DACE_FUNCTION(erfc)
SDFGC_DACE_FUNCTION(nearbyint)
SDFGC_DACE_FUNCTION(round)
SDFGC_DACE_FUNCTION(fabs)
#undef SDFGC_DACE_FUNCTION

// Functions that complex.h extends to complex numbers.
#define SDFGC_DACE_FUNCTION(name)                                                                                                  \
    template <class T> inline detail::Value<T> name(const T &a) {                                                                  \
        using sdfgc::rt::name;                                                                                                     \
        using std::name;                                                                                                           \
        return static_cast<detail::Value<T>>(name(static_cast<detail::Value<T>>(a)));                                              \
    }
SDFGC_DACE_FUNCTION(exp2)
SDFGC_DACE_FUNCTION(expm1)
SDFGC_DACE_FUNCTION(log1p)
SDFGC_DACE_FUNCTION(log2)
#undef SDFGC_DACE_FUNCTION

#define SDFGC_DACE_FUNCTION2(name)                                                                                                 \
    template <class T> inline detail::Value<T> name(const T &a, const T &b) {                                                      \
        using std::name;                                                                                                           \
        using V = detail::Value<T>;                                                                                                \
        return static_cast<V>(name(static_cast<V>(a), static_cast<V>(b)));                                                         \
    }
SDFGC_DACE_FUNCTION2(atan2)
SDFGC_DACE_FUNCTION2(fmod)
SDFGC_DACE_FUNCTION2(hypot)
SDFGC_DACE_FUNCTION2(copysign)
#undef SDFGC_DACE_FUNCTION2

template <class T, class U> inline auto pow(const T &a, const U &b) {
    using std::pow;
    return pow(static_cast<detail::Value<T>>(a), static_cast<detail::Value<U>>(b));
}
constexpr int pow(const int &a, const int &b) { return sdfgc::rt::ipow(a, b); }
constexpr unsigned pow(const unsigned &a, const unsigned &b) { return sdfgc::rt::ipow(a, static_cast<int64_t>(b)); }

template <class T> constexpr detail::Value<T> ipow(const T &a, unsigned exponent) {
    return sdfgc::rt::ipow(static_cast<detail::Value<T>>(a), static_cast<int64_t>(exponent));
}

/// The floor as an integer; an integer is unchanged.
template <class T> constexpr auto ifloor(const T &a) {
    if constexpr (std::is_integral<T>::value)
        return a;
    else
        return static_cast<int64_t>(sdfgc::rt::detail::floorOf(static_cast<double>(a)));
}

using sdfgc::rt::max;
using sdfgc::rt::min;

} // namespace math

namespace cmath {
template <class T> inline std::complex<T> exp(const std::complex<T> &a) { return std::exp(a); }
template <class T> inline std::complex<T> conj(const std::complex<T> &a) { return std::conj(a); }
} // namespace cmath
} // namespace dace
