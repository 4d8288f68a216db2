// The functions of DaCe's runtime that tasklets call by name (sdfg-format 9.6), for real numbers: Python, NumPy, Fortran and C
// flavours of remainder, rounding, splitting and classification. complex.h has their complex overloads.
//
// Rules: names and argument order are DaCe's. Where DaCe's function is wrong, this one is right:
//   Modulo, Modulo_float, Mod_float   exact for all values (DaCe: through float, or through int)
//   ceiling (math.h)                  the ceiling (DaCe: FLT_MAX, DBL_MAX)
//   int_ceil (math.h)                 for operands of any sign (DaCe: positive ones)
//   int_floor (math.h)                the floor (DaCe: truncates)
//   py_floor, py_mod, py_divmod       Python's results for floats (DaCe rounds the quotient before the floor)
//   cpp_divmod                        quotient and remainder fit together for negative floats (DaCe pairs floor with fmod)
//   sign                              NaN for NaN (DaCe: 0)
//   deg2rad, rad2deg                  of an integer are doubles (DaCe: truncated to the integer type)
#pragma once

#include "sdfgc/rt/math.h"

namespace sdfgc::rt {

namespace detail {
/// Functions with fractional results give double for integers and their own type otherwise.
template <class T> using Fractional = std::conditional_t<isInteger<T>, double, T>;

template <class T> using Exponent = std::enable_if_t<!isInteger<T>, int>;
inline constexpr double pi = 3.14159265358979323846;
} // namespace detail

// Remainders and quotients
// ----------------------------------------------------------------------------------------------------------

/// Fortran's MOD, C's % and fmod: the sign of a.
template <class T, class U> SDFGC_HD constexpr auto Mod(T a, U b) { return truncmod(a, b); }
template <class T, class U> SDFGC_HD constexpr auto Mod_float(T a, U b) { return truncmod(a, b); }
template <class T, class U> SDFGC_HD constexpr auto cpp_mod(T a, U b) { return truncmod(a, b); }

/// Fortran's MODULO, Python's %: the sign of b.
template <class T, class U> SDFGC_HD constexpr auto Modulo(T a, U b) { return floormod(a, b); }
template <class T, class U> SDFGC_HD constexpr auto Modulo_float(T a, U b) { return floormod(a, b); }
template <class T, class U> SDFGC_HD constexpr auto py_mod(T a, U b) { return floormod(a, b); }

/// Python's //.
template <class T, class U> SDFGC_HD constexpr auto int_floor_ni(T a, U b) { return floordiv(a, b); }
template <class T, class U> SDFGC_HD constexpr auto py_floor(T a, U b) { return floordiv(a, b); }

/// Python's divmod(a, b).
template <class T, class U, class Q, class R> SDFGC_HD constexpr void py_divmod(T a, U b, Q &quotient, R &remainder) {
    quotient = static_cast<Q>(floordiv(a, b));
    remainder = static_cast<R>(floormod(a, b));
}

/// Quotient rounded towards zero, and the remainder that goes with it. Both are 0 for integers divided by 0.
template <class T, class U, class Q, class R> SDFGC_HD constexpr void cpp_divmod(T a, U b, Q &quotient, R &remainder) {
    const auto floored = floordiv(a, b);
    const bool inexact = floormod(a, b) != 0;
    quotient = static_cast<Q>(inexact && (a < T(0)) != (b < U(0)) ? floored + 1 : floored);
    remainder = static_cast<R>(truncmod(a, b));
}

// Rounding
// ---------------------------------------------------------------------------------------------------------------------------

/// C's round: halves away from zero, in the type of a.
template <class T> SDFGC_HD constexpr T ROUND(T a) {
    if constexpr (detail::isInteger<T>)
        return a;
    else
        return static_cast<T>(SDFGC_LIBM(round)(static_cast<double>(a)));
}

/// Python's and NumPy's round: halves to the even neighbour, in the type of a.
template <class T> SDFGC_HD constexpr T round_even(T a) {
    if constexpr (detail::isInteger<T>)
        return a;
    else
        return static_cast<T>(SDFGC_LIBM(rint)(static_cast<double>(a)));
}

/// Fortran's NINT: ROUND as a default integer.
template <class T> SDFGC_HD constexpr int iround(T a) { return static_cast<int>(ROUND(a)); }

// Steps and splits
// -------------------------------------------------------------------------------------------------------------------

/// NumPy's step function: 0 below zero, 1 above, `atZero` at zero, NaN for NaN.
template <class T, class U> SDFGC_HD constexpr std::common_type_t<T, U> heaviside(T a, U atZero) {
    using R = std::common_type_t<T, U>;
    return a != a ? static_cast<R>(a) : a < T(0) ? R(0) : a > T(0) ? R(1) : static_cast<R>(atZero);
}
template <class T> SDFGC_HD constexpr T heaviside(T a) { return static_cast<T>(a > T(0) ? 1 : 0); }

/// Integral part first, then the fraction; both have the sign of a.
template <class T, class I, class F> SDFGC_HD constexpr void np_modf(T a, I &integral, F &fraction) {
    const double value = static_cast<double>(a), whole = SDFGC_LIBM(trunc)(value);
    integral = static_cast<I>(whole);
    // inf - inf is NaN; the fraction of an infinity is a zero.
    fraction = static_cast<F>(detail::copysignOf(value == whole ? 0.0 : value - whole, value));
}

/// a = mantissa * 2**exponent with 0.5 <= |mantissa| < 1.
template <class T, class M, class E> SDFGC_HD inline void np_frexp(T a, M &mantissa, E &exponent) {
    int power = 0;
    mantissa = static_cast<M>(SDFGC_LIBM(frexp)(static_cast<double>(a), &power));
    exponent = static_cast<E>(power);
}

/// The exponent alone (Fortran's EXPONENT).
template <class T, detail::Exponent<T> = 0> SDFGC_HD inline int frexp(T a) {
    int power = 0;
    (void)SDFGC_LIBM(frexp)(static_cast<double>(a), &power);
    return power;
}

/// NumPy's float_power: always in double.
template <class T, class U> SDFGC_HD inline double np_float_pow(T a, U b) {
    return SDFGC_LIBM(pow)(static_cast<double>(a), static_cast<double>(b));
}

template <class T> SDFGC_HD constexpr detail::Fractional<T> deg2rad(T a) {
    return static_cast<detail::Fractional<T>>(static_cast<double>(a) * (detail::pi / 180));
}
template <class T> SDFGC_HD constexpr detail::Fractional<T> rad2deg(T a) {
    return static_cast<detail::Fractional<T>>(static_cast<double>(a) * (180 / detail::pi));
}

// Bits
// -------------------------------------------------------------------------------------------------------------------------------

template <class T, class U> SDFGC_HD constexpr T bitwise_and(T a, U b) { return static_cast<T>(a & b); }
template <class T, class U> SDFGC_HD constexpr T bitwise_or(T a, U b) { return static_cast<T>(a | b); }
template <class T, class U> SDFGC_HD constexpr T bitwise_xor(T a, U b) { return static_cast<T>(a ^ b); }
template <class T> SDFGC_HD constexpr T bitwise_invert(T a) {
    if constexpr (std::is_same<T, bool>::value)
        return !a; // NumPy's ~ of a bool
    else
        return static_cast<T>(~a);
}
template <class T, class U> SDFGC_HD constexpr T left_shift(T a, U b) { return static_cast<T>(a << b); }
template <class T, class U> SDFGC_HD constexpr T right_shift(T a, U b) { return static_cast<T>(a >> b); }

// Complex parts of real numbers
// ------------------------------------------------------------------------------------------------------

template <class T> SDFGC_HD constexpr T conj(T a) { return a; }
template <class T> SDFGC_HD constexpr T real(T a) { return a; }
template <class T> SDFGC_HD constexpr T imag(T) { return T(0); }
template <class T> SDFGC_HD constexpr T sign_numpy_2(T a) { return sign(a); }

// Classification
// ---------------------------------------------------------------------------------------------------------------------

template <class T> SDFGC_HD constexpr bool isnan(T a) { return a != a; }
template <class T> SDFGC_HD constexpr bool isinf(T a) {
    const double value = static_cast<double>(a);
    return value == value && value - value != 0; // inf - inf is NaN
}
template <class T> SDFGC_HD constexpr bool isfinite(T a) { return !isnan(a) && !isinf(a); }
template <class T> SDFGC_HD constexpr bool signbit(T a) {
    if constexpr (detail::isInteger<T>)
        return a < T(0);
    else
        return detail::copysignOf(1.0, static_cast<double>(a)) < 0;
}

} // namespace sdfgc::rt
