// Functions of complex numbers in kernels, for gpu::complex<T>: those of <complex>, and those that complex.h adds to them.
//
// hipcc and the emulation have the standard's own. nvcc has those of libcu++, which comes with the CUDA Toolkit: parsing it takes
// two to three seconds, so only programs with such functions in kernels include this header.
#pragma once

#include "sdfgc/rt/gpu_complex.h"

#ifdef SDFGC_OWN_COMPLEX
#include SDFGC_COMPLEXMATH_HEADER
#endif

namespace sdfgc::gpu {

#ifndef SDFGC_OWN_COMPLEX

using rt::exp2, rt::expm1, rt::isfinite, rt::isinf, rt::isnan, rt::log1p, rt::log2, rt::np_float_pow, rt::py_divmod, rt::py_floor;
using rt::py_mod, rt::reciprocal, rt::ROUND, rt::sign, rt::sign_numpy_2;
using std::abs, std::acos, std::acosh, std::arg, std::asin, std::asinh, std::atan, std::atanh, std::conj, std::cos, std::cosh,
    std::exp;
using std::imag, std::log, std::log10, std::pow, std::real, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

#else

namespace detail {
template <class T> SDFGC_HD SDFGC_COMPLEXMATH::complex<T> toLibrary(const complex<T> &a) { return {a.real(), a.imag()}; }
template <class T> SDFGC_HD complex<T> fromLibrary(const SDFGC_COMPLEXMATH::complex<T> &a) { return {a.real(), a.imag()}; }
} // namespace detail

#define SDFGC_COMPLEX_FUNCTION(f)                                                                                                  \
    template <class T> SDFGC_HD complex<T> f(const complex<T> &a) {                                                                \
        return detail::fromLibrary(SDFGC_COMPLEXMATH::f(detail::toLibrary(a)));                                                    \
    }
SDFGC_COMPLEX_FUNCTION(acos)
SDFGC_COMPLEX_FUNCTION(acosh)
SDFGC_COMPLEX_FUNCTION(asin)
SDFGC_COMPLEX_FUNCTION(asinh)
SDFGC_COMPLEX_FUNCTION(atan)
SDFGC_COMPLEX_FUNCTION(atanh)
SDFGC_COMPLEX_FUNCTION(cos)
SDFGC_COMPLEX_FUNCTION(cosh)
SDFGC_COMPLEX_FUNCTION(exp)
SDFGC_COMPLEX_FUNCTION(log)
SDFGC_COMPLEX_FUNCTION(log10)
SDFGC_COMPLEX_FUNCTION(sin)
SDFGC_COMPLEX_FUNCTION(sinh)
SDFGC_COMPLEX_FUNCTION(sqrt)
SDFGC_COMPLEX_FUNCTION(tan)
SDFGC_COMPLEX_FUNCTION(tanh)
#undef SDFGC_COMPLEX_FUNCTION

template <class T> SDFGC_HD T abs(const complex<T> &a) { return ::hypot(a.real(), a.imag()); }
template <class T> SDFGC_HD T arg(const complex<T> &a) { return ::atan2(a.imag(), a.real()); }
template <class T> SDFGC_HD T real(const complex<T> &a) { return a.real(); }
template <class T> SDFGC_HD T imag(const complex<T> &a) { return a.imag(); }
template <class T> SDFGC_HD complex<T> conj(const complex<T> &a) { return {a.real(), -a.imag()}; }

/// Powers of two different types have the wider type; an integer adopts the type of the other operand.
template <class T, class U> using Wider = std::conditional_t<std::is_floating_point<U>::value && (sizeof(U) > sizeof(T)), U, T>;
template <class T, class U> SDFGC_HD complex<Wider<T, U>> pow(const complex<T> &a, const complex<U> &b) {
    using C = complex<Wider<T, U>>;
    return detail::fromLibrary(SDFGC_COMPLEXMATH::pow(detail::toLibrary(C(a)), detail::toLibrary(C(b))));
}
template <class T, class U>
SDFGC_HD std::enable_if_t<std::is_arithmetic<U>::value, complex<Wider<T, U>>> pow(const complex<T> &a, U b) {
    return pow(complex<Wider<T, U>>(a), complex<Wider<T, U>>(static_cast<Wider<T, U>>(b)));
}
template <class T, class U>
SDFGC_HD std::enable_if_t<std::is_arithmetic<U>::value, complex<Wider<T, U>>> pow(U a, const complex<T> &b) {
    return pow(complex<Wider<T, U>>(static_cast<Wider<T, U>>(a)), complex<Wider<T, U>>(b));
}

// As in complex.h, which documents them.

template <class T> SDFGC_HD complex<T> reciprocal(const complex<T> &a) { return T(1) / a; }
template <class T> SDFGC_HD complex<T> ROUND(const complex<T> &a) { return {::round(a.real()), ::round(a.imag())}; }
template <class T> SDFGC_HD complex<T> sign(const complex<T> &a) {
    const T part = a.real() != 0 ? a.real() : a.imag();
    return {part != part ? part : T((T(0) < part) - (part < T(0))), T(0)};
}
template <class T> SDFGC_HD complex<T> sign_numpy_2(const complex<T> &a) { return a == T(0) ? complex<T>() : a / abs(a); }
template <class T> SDFGC_HD complex<T> exp2(const complex<T> &a) { return exp(a * T(0.693147180559945309417)); }
template <class T> SDFGC_HD complex<T> log2(const complex<T> &a) { return log(a) / T(0.693147180559945309417); }
template <class T> SDFGC_HD complex<T> expm1(const complex<T> &a) {
    const T halfSine = ::sin(a.imag() / 2);
    return {::expm1(a.real()) * ::cos(a.imag()) - 2 * halfSine * halfSine, ::exp(a.real()) * ::sin(a.imag())};
}
template <class T> SDFGC_HD complex<T> log1p(const complex<T> &a) {
    const T x = a.real(), y = a.imag(), modulus = ::hypot(1 + x, y);
    const bool nearOne = modulus > T(0.5) && modulus < T(2);
    return {nearOne ? ::log1p(x * (2 + x) + y * y) / 2 : ::log(modulus), ::atan2(y, 1 + x)};
}
template <class T> SDFGC_HD complex<T> py_floor(const complex<T> &a, const complex<T> &b) { return ::floor((a / b).real()); }
template <class T> SDFGC_HD complex<T> py_mod(const complex<T> &a, const complex<T> &b) { return a - py_floor(a, b) * b; }
template <class T> SDFGC_HD void py_divmod(const complex<T> &a, const complex<T> &b, complex<T> &quotient, complex<T> &remainder) {
    quotient = py_floor(a, b);
    remainder = a - quotient * b;
}
template <class T, class U> SDFGC_HD complex<double> np_float_pow(const complex<T> &a, const complex<U> &b) {
    return pow(complex<double>(a), complex<double>(b));
}
template <class T, class U> SDFGC_HD complex<double> np_float_pow(const complex<T> &a, const U &b) {
    return pow(complex<double>(a), complex<double>(static_cast<double>(b)));
}
template <class T, class U> SDFGC_HD complex<double> np_float_pow(const T &a, const complex<U> &b) {
    return pow(complex<double>(static_cast<double>(a)), complex<double>(b));
}
template <class T> SDFGC_HD bool isfinite(const complex<T> &a) { return ::isfinite(a.real()) && ::isfinite(a.imag()); }
template <class T> SDFGC_HD bool isinf(const complex<T> &a) { return ::isinf(a.real()) || ::isinf(a.imag()); }
template <class T> SDFGC_HD bool isnan(const complex<T> &a) { return ::isnan(a.real()) || ::isnan(a.imag()); }

#endif

} // namespace sdfgc::gpu
