// Complex numbers: std::complex plus the operators and functions that it lacks.
//
// Rules (sdfg-format 9.6, 9.7): + - * / between std::complex<T> and a real number of another type, where the standard operators
// require exactly T. An integer, or a float that is not wider than T, keeps std::complex<T>; a wider float, or a wider complex
// number, widens the result. Functions of ufunc.h and <cmath> that DaCe extends to complex numbers have overloads in sdfgc::rt;
// expm1 and log1p keep their accuracy near zero, sign_numpy_2 is x / |x| (0 only for 0), py_floor keeps DaCe's meaning: floor of
// the real part of the quotient. The operators are at global scope because std::complex's own namespace is closed to programs;
// generated code declares no operators that would hide them.
#pragma once

#include "sdfgc/rt/config.h"

#include <complex>
#include <type_traits>

namespace sdfgc::rt {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <class T> struct Parts<std::complex<T>> {
    using Part = T;
    static constexpr int count = 2;
    static constexpr bool everyOperation = false;
};

namespace detail {

/// std::complex<T> with a real U that the standard operators do not take: the type of the result.
template <class T, class U, bool = std::is_arithmetic<U>::value && !std::is_same<T, U>::value> struct MixedComplex {};
template <class T, class U> struct MixedComplex<T, U, true> {
    using Real = std::conditional_t<std::is_floating_point<U>::value && (sizeof(U) > sizeof(T)), U, T>;
    using type = std::complex<Real>;
};
template <class T, class U> using MixedComplexT = typename MixedComplex<T, U>::type;

/// Two different complex types: the wider one.
template <class T, class U, bool = !std::is_same<T, U>::value> struct WiderComplex {};
template <class T, class U> struct WiderComplex<T, U, true> {
    using type = std::complex<std::conditional_t<(sizeof(U) > sizeof(T)), U, T>>;
};
template <class T, class U> using WiderComplexT = typename WiderComplex<T, U>::type;

} // namespace detail
} // namespace sdfgc::rt

#define SDFGC_COMPLEX_OPERATOR(op)                                                                                                 \
    template <class T, class U>                                                                                                    \
    constexpr sdfgc::rt::detail::MixedComplexT<T, U> operator op(const std::complex<T> &a, const U &b) {                           \
        using C = sdfgc::rt::detail::MixedComplexT<T, U>;                                                                          \
        return C(a) op static_cast<typename C::value_type>(b);                                                                     \
    }                                                                                                                              \
    template <class T, class U>                                                                                                    \
    constexpr sdfgc::rt::detail::MixedComplexT<T, U> operator op(const U &a, const std::complex<T> &b) {                           \
        using C = sdfgc::rt::detail::MixedComplexT<T, U>;                                                                          \
        return static_cast<typename C::value_type>(a) op C(b);                                                                     \
    }                                                                                                                              \
    template <class T, class U>                                                                                                    \
    constexpr sdfgc::rt::detail::WiderComplexT<T, U> operator op(const std::complex<T> &a, const std::complex<U> &b) {             \
        using C = sdfgc::rt::detail::WiderComplexT<T, U>;                                                                          \
        return C(a) op C(b);                                                                                                       \
    }
SDFGC_COMPLEX_OPERATOR(+)
SDFGC_COMPLEX_OPERATOR(-)
SDFGC_COMPLEX_OPERATOR(*)
SDFGC_COMPLEX_OPERATOR(/)
#undef SDFGC_COMPLEX_OPERATOR

#ifdef _OPENMP
#pragma omp declare reduction(+ : std::complex <float>, std::complex <double> : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(* : std::complex <float>, std::complex <double> : omp_out *= omp_in) initializer(omp_priv = 1)
#endif

namespace sdfgc::rt {

template <class T> T abs(const std::complex<T> &a) { return std::abs(a); }
template <class T> std::complex<T> conj(const std::complex<T> &a) { return std::conj(a); }
template <class T> T real(const std::complex<T> &a) { return a.real(); }
template <class T> T imag(const std::complex<T> &a) { return a.imag(); }
template <class T> std::complex<T> reciprocal(const std::complex<T> &a) { return T(1) / a; }

/// By parts, halves away from zero.
template <class T> std::complex<T> ROUND(const std::complex<T> &a) { return {std::round(a.real()), std::round(a.imag())}; }

/// The sign of the real part, or of the imaginary part if the real part is 0 (NumPy before 2.0).
template <class T> std::complex<T> sign(const std::complex<T> &a) {
    const T part = a.real() != 0 ? a.real() : a.imag();
    return {part != part ? part : T((T(0) < part) - (part < T(0))), T(0)};
}

/// a / |a|, 0 for 0 (NumPy 2).
template <class T> std::complex<T> sign_numpy_2(const std::complex<T> &a) {
    return a == T(0) ? std::complex<T>() : a / std::abs(a);
}

template <class T> std::complex<T> exp2(const std::complex<T> &a) { return std::exp(a * T(0.693147180559945309417)); }
template <class T> std::complex<T> log2(const std::complex<T> &a) { return std::log(a) / T(0.693147180559945309417); }

/// exp(a) - 1 without cancellation near 0.
template <class T> std::complex<T> expm1(const std::complex<T> &a) {
    const T halfSine = std::sin(a.imag() / 2);
    return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * halfSine * halfSine, std::exp(a.real()) * std::sin(a.imag())};
}

/// log(1 + a) without cancellation near 0.
template <class T> std::complex<T> log1p(const std::complex<T> &a) {
    const T x = a.real(), y = a.imag(), modulus = std::hypot(1 + x, y);
    const bool nearOne = modulus > T(0.5) && modulus < T(2);
    return {nearOne ? std::log1p(x * (2 + x) + y * y) / 2 : std::log(modulus), std::atan2(y, 1 + x)};
}

/// Floor of the real part of the quotient; the imaginary part is dropped.
template <class T> std::complex<T> py_floor(const std::complex<T> &a, const std::complex<T> &b) {
    return std::floor((a / b).real());
}
template <class T> std::complex<T> py_mod(const std::complex<T> &a, const std::complex<T> &b) { return a - py_floor(a, b) * b; }
template <class T>
void py_divmod(const std::complex<T> &a, const std::complex<T> &b, std::complex<T> &quotient, std::complex<T> &remainder) {
    quotient = py_floor(a, b);
    remainder = a - quotient * b;
}

/// NumPy's float_power with a complex argument: always in complex128.
template <class T, class U> std::complex<double> np_float_pow(const std::complex<T> &a, const std::complex<U> &b) {
    return std::pow(std::complex<double>(a), std::complex<double>(b));
}
template <class T, class U> std::complex<double> np_float_pow(const std::complex<T> &a, const U &b) {
    return std::pow(std::complex<double>(a), static_cast<double>(b));
}
template <class T, class U> std::complex<double> np_float_pow(const T &a, const std::complex<U> &b) {
    return std::pow(static_cast<double>(a), std::complex<double>(b));
}

/// Both parts are finite; any part is infinite; any part is NaN.
template <class T> bool isfinite(const std::complex<T> &a) { return std::isfinite(a.real()) && std::isfinite(a.imag()); }
template <class T> bool isinf(const std::complex<T> &a) { return std::isinf(a.real()) || std::isinf(a.imag()); }
template <class T> bool isnan(const std::complex<T> &a) { return std::isnan(a.real()) || std::isnan(a.imag()); }

} // namespace sdfgc::rt
