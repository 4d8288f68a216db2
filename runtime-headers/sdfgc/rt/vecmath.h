// The functions of <cmath> on vec<T, N>, element by element, with the type of the argument.
//
// Rule (sdfg-format 9.7): DaCe's math functions on vectors are by elements. Loops of known length over math calls are what the
// vectorisers of GCC and Clang turn into calls of a vector math library where one is enabled.
#pragma once

#include "sdfgc/rt/vec.h"

#include <cmath>

namespace sdfgc::rt {

#define SDFGC_VEC_FUNCTION(name)                                                                                                   \
    template <class T, int N> inline Vec<T, N> name(const Vec<T, N> &a) {                                                          \
        using std::name;                                                                                                           \
        return detail::mapVec(a, [](T x) { return static_cast<T>(name(x)); });                                                     \
    }
SDFGC_VEC_FUNCTION(exp)
SDFGC_VEC_FUNCTION(exp2)
SDFGC_VEC_FUNCTION(expm1)
SDFGC_VEC_FUNCTION(log)
SDFGC_VEC_FUNCTION(log2)
SDFGC_VEC_FUNCTION(log10)
SDFGC_VEC_FUNCTION(log1p)
SDFGC_VEC_FUNCTION(sqrt)
SDFGC_VEC_FUNCTION(cbrt)
SDFGC_VEC_FUNCTION(sin)
SDFGC_VEC_FUNCTION(cos)
SDFGC_VEC_FUNCTION(tan)
SDFGC_VEC_FUNCTION(asin)
SDFGC_VEC_FUNCTION(acos)
SDFGC_VEC_FUNCTION(atan)
SDFGC_VEC_FUNCTION(sinh)
SDFGC_VEC_FUNCTION(cosh)
SDFGC_VEC_FUNCTION(tanh)
SDFGC_VEC_FUNCTION(asinh)
SDFGC_VEC_FUNCTION(acosh)
SDFGC_VEC_FUNCTION(atanh)
SDFGC_VEC_FUNCTION(floor)
SDFGC_VEC_FUNCTION(ceil)
SDFGC_VEC_FUNCTION(trunc)
SDFGC_VEC_FUNCTION(round)
SDFGC_VEC_FUNCTION(nearbyint)
SDFGC_VEC_FUNCTION(rint)
SDFGC_VEC_FUNCTION(fabs)
SDFGC_VEC_FUNCTION(erf)
SDFGC_VEC_FUNCTION(erfc)
SDFGC_VEC_FUNCTION(lgamma)
SDFGC_VEC_FUNCTION(tgamma)
#undef SDFGC_VEC_FUNCTION

// Two arguments; either may be a scalar, which is converted to the element type.
#define SDFGC_VEC_FUNCTION2(name)                                                                                                  \
    template <class T, int N> inline Vec<T, N> name(const Vec<T, N> &a, const Vec<T, N> &b) {                                      \
        using std::name;                                                                                                           \
        Vec<T, N> result;                                                                                                          \
        for (int i = 0; i < N; ++i)                                                                                                \
            result.lane[i] = static_cast<T>(name(a.lane[i], b.lane[i]));                                                           \
        return result;                                                                                                             \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0> inline Vec<T, N> name(const Vec<T, N> &a, const U &b) {        \
        return name(a, Vec<T, N>(static_cast<T>(b)));                                                                              \
    }                                                                                                                              \
    template <class T, int N, class U, detail::ScalarFor<T, U> = 0> inline Vec<T, N> name(const U &a, const Vec<T, N> &b) {        \
        return name(Vec<T, N>(static_cast<T>(a)), b);                                                                              \
    }
SDFGC_VEC_FUNCTION2(pow)
SDFGC_VEC_FUNCTION2(atan2)
SDFGC_VEC_FUNCTION2(fmod)
SDFGC_VEC_FUNCTION2(hypot)
SDFGC_VEC_FUNCTION2(copysign)
#undef SDFGC_VEC_FUNCTION2

} // namespace sdfgc::rt
