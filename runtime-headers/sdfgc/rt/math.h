// Arithmetic with Python's meaning, where C++ operators differ: floor division and modulus, variadic min and max, integer powers.
//
// Rules (sdfg-format 9.2, 9.6):
//   floordiv, floormod   Python's // and %: the quotient is rounded towards minus infinity, the remainder has the divisor's sign.
//                        They never trap: with a divisor of zero integers give 0, as NumPy does, and floats give the IEEE quotient
//                        and NaN; the most negative integer divided by -1 wraps.
//   min, max             `a < b ? a : b` and `a > b ? a : b` in the common type, from the right: min(a, b, c) = min(a, min(b, c)).
//                        A NaN on the left gives the right operand, a NaN on the right gives NaN.
//   ipow                 by squaring; integers wrap; a negative exponent of an integer base gives the truncated reciprocal.
//   results              have the common type of the arguments (C++: int8 with int8 is int8). Integers of different signedness meet
//                        in int64_t in floordiv, floormod, truncmod, int_floor, int_ceil, gcd and lcm.
// Types: integers, floats, and the types of lowp.h, which compute in float. complex.h and vec.h add overloads.
#pragma once

#include "sdfgc/rt/config.h"

#include <cstdint>
#include <type_traits>

namespace sdfgc::rt {

namespace detail {

template <class T> inline constexpr bool isInteger = std::is_integral<T>::value;

/// The type in which T and U are divided.
template <class T, class U> struct Operands {
    using Common = std::common_type_t<T, U>;
    using type =
        std::conditional_t<isInteger<T> && isInteger<U> && std::is_signed<T>::value != std::is_signed<U>::value, int64_t, Common>;
};
template <class T, class U> using OperandsT = typename Operands<T, U>::type;

SDFGC_HD inline float fmodOf(float a, float b) { return SDFGC_LIBM(fmodf)(a, b); }
SDFGC_HD inline double fmodOf(double a, double b) { return SDFGC_LIBM(fmod)(a, b); }
SDFGC_HD inline float floorOf(float a) { return SDFGC_LIBM(floorf)(a); }
SDFGC_HD inline double floorOf(double a) { return SDFGC_LIBM(floor)(a); }
SDFGC_HD inline float ceilOf(float a) { return SDFGC_LIBM(ceilf)(a); }
SDFGC_HD inline double ceilOf(double a) { return SDFGC_LIBM(ceil)(a); }
SDFGC_HD inline float copysignOf(float a, float b) { return SDFGC_LIBM(copysignf)(a, b); }
SDFGC_HD inline double copysignOf(double a, double b) { return SDFGC_LIBM(copysign)(a, b); }

/// 0 - a, wrapping.
template <class T> SDFGC_HD constexpr T negate(T a) {
    using Wide = std::conditional_t<(sizeof(T) > sizeof(unsigned)), std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(Wide(0) - static_cast<Wide>(a));
}

template <class T> SDFGC_HD constexpr T floordivInteger(T a, T b) {
    if constexpr (!std::is_signed<T>::value)
        return b == 0 ? T(0) : static_cast<T>(a / b);
    else {
        if (b > 0) { // the usual case, without a branch on a: for a negative a, floor(a / b) is ~(~a / b)
            using Unsigned = std::make_unsigned_t<T>;
            const T mask = a < 0 ? T(-1) : T(0);
            return static_cast<T>(mask ^ static_cast<T>(static_cast<Unsigned>(a ^ mask) / static_cast<Unsigned>(b)));
        }
        if (b == 0)
            return 0;
        if (b == -1)
            return negate(a);
        return static_cast<T>(a / b - (a % b > 0));
    }
}

template <class T> SDFGC_HD constexpr T truncmodInteger(T a, T b) {
    if (b == 0)
        return 0;
    if constexpr (std::is_signed<T>::value)
        if (b == -1) // the remainder is 0, but the division may trap
            return 0;
    return static_cast<T>(a % b);
}

template <class T> SDFGC_HD constexpr T floormodInteger(T a, T b) {
    const T remainder = truncmodInteger(a, b);
    if constexpr (std::is_signed<T>::value)
        if (b > 0 ? remainder < 0 : remainder > 0)
            return static_cast<T>(remainder + b);
    return remainder;
}

/// Python's float %: exact, the divisor's sign also on a zero.
template <class F> SDFGC_HD inline F floormodFloat(F a, F b) {
    const F remainder = fmodOf(a, b);
    if (remainder == 0)
        return copysignOf(F(0), b);
    return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// Python's float //: the integer q with a == q * b + a % b, not floor(a / b), whose quotient is rounded before floor sees it.
template <class F> SDFGC_HD inline F floordivFloat(F a, F b) {
    if (b == 0)
        return a / b;
    const F remainder = fmodOf(a, b);
    F quotient = (a - remainder) / b;
    if (remainder != 0 && (remainder < 0) != (b < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysignOf(F(0), a / b);
    const F whole = floorOf(quotient);
    return quotient - whole > F(0.5) ? whole + 1 : whole;
}

/// Floats compute in their own type, everything else that is not an integer (lowp.h) in float.
template <class T>
using ComputeType = std::conditional_t<std::is_same<T, double>::value || std::is_same<T, long double>::value, double, float>;

template <class T> SDFGC_HD constexpr std::make_unsigned_t<T> magnitude(T a) {
    using Unsigned = std::make_unsigned_t<T>;
    return a < 0 ? static_cast<Unsigned>(negate(a)) : static_cast<Unsigned>(a);
}

/// Repeated multiplication by squaring; T needs a constructor from 1 and a product.
template <class T> SDFGC_HD constexpr T powerOf(T base, uint64_t exponent) {
    T result = T(1);
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            result = static_cast<T>(result * base);
        if (exponent > 1)
            base = static_cast<T>(base * base);
    }
    return result;
}

} // namespace detail

/// Python's a // b.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> floordiv(T a, U b) {
    using R = detail::OperandsT<T, U>;
    using F = detail::ComputeType<R>;
    if constexpr (detail::isInteger<R>)
        return detail::floordivInteger(static_cast<R>(a), static_cast<R>(b));
    else
        return static_cast<R>(detail::floordivFloat(static_cast<F>(a), static_cast<F>(b)));
}

/// Python's a % b.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> floormod(T a, U b) {
    using R = detail::OperandsT<T, U>;
    using F = detail::ComputeType<R>;
    if constexpr (detail::isInteger<R>)
        return detail::floormodInteger(static_cast<R>(a), static_cast<R>(b));
    else
        return static_cast<R>(detail::floormodFloat(static_cast<F>(a), static_cast<F>(b)));
}

/// C's % for integers and fmod for floats: the remainder has the sign of a.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> truncmod(T a, U b) {
    using R = detail::OperandsT<T, U>;
    using F = detail::ComputeType<R>;
    if constexpr (detail::isInteger<R>)
        return detail::truncmodInteger(static_cast<R>(a), static_cast<R>(b));
    else
        return static_cast<R>(detail::fmodOf(static_cast<F>(a), static_cast<F>(b)));
}

/// floor(a / b) for integers, of any sign.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> int_floor(T a, U b) { return floordiv(a, b); }

/// ceil(a / b) for integers, of any sign; 0 if b is 0.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> int_ceil(T a, U b) {
    using R = detail::OperandsT<T, U>;
    if constexpr (detail::isInteger<R>)
        return static_cast<R>(floordiv(a, b) + (floormod(a, b) != 0));
    else
        return static_cast<R>(detail::ceilOf(static_cast<detail::ComputeType<R>>(a) / static_cast<detail::ComputeType<R>>(b)));
}

template <class T> SDFGC_HD constexpr T min(T a) { return a; }
template <class T, class... Rest> SDFGC_HD constexpr std::common_type_t<T, Rest...> min(T a, Rest... rest) {
    using R = std::common_type_t<T, Rest...>;
    const R left = static_cast<R>(a), right = static_cast<R>(min(rest...));
    return left < right ? left : right;
}

template <class T> SDFGC_HD constexpr T max(T a) { return a; }
template <class T, class... Rest> SDFGC_HD constexpr std::common_type_t<T, Rest...> max(T a, Rest... rest) {
    using R = std::common_type_t<T, Rest...>;
    const R left = static_cast<R>(a), right = static_cast<R>(max(rest...));
    return left > right ? left : right;
}

/// |a| in the type of a. Unsigned values are unchanged, the most negative integer wraps.
template <class T> SDFGC_HD constexpr T abs(T a) {
    if constexpr (!detail::isInteger<T>)
        return static_cast<T>(detail::copysignOf(static_cast<detail::ComputeType<T>>(a), detail::ComputeType<T>(1)));
    else if constexpr (std::is_signed<T>::value)
        return a < 0 ? detail::negate(a) : a;
    else
        return a;
}

/// base to an integer power, in the type of base.
template <class T> SDFGC_HD constexpr T ipow(T base, int64_t exponent) {
    if constexpr (detail::isInteger<T>) {
        if (exponent < 0) // 1 / base**n truncates to 0 unless |base| is 1
            return base == T(1) ? T(1) : std::is_signed<T>::value && base == T(-1) ? (exponent % 2 != 0 ? T(-1) : T(1)) : T(0);
        // Unsigned products wrap; 16-bit ones would be promoted to int and overflow there.
        using Wide = std::conditional_t<(sizeof(T) > sizeof(unsigned)), uint64_t, unsigned>;
        return static_cast<T>(detail::powerOf(static_cast<Wide>(base), static_cast<uint64_t>(exponent)));
    } else {
        if (exponent < 0)
            return static_cast<T>(T(1) / detail::powerOf(base, detail::magnitude(exponent)));
        return detail::powerOf(base, static_cast<uint64_t>(exponent));
    }
}

#ifndef SDFGC_DEVICE_COMPILER
/// For symbols: compilers hoist the call out of loops, because they see that it is invariant. (Inlined, it would be a nested loop,
/// which they do not hoist.)
[[gnu::const, gnu::noinline]] inline constexpr int64_t ipow(int64_t base, int64_t exponent) {
    return ipow<int64_t>(base, exponent);
}
#endif

/// ipow with an exponent that is known when the program is compiled, and unrolled: ipow<3>(x).
template <int64_t exponent, class T> SDFGC_HD constexpr T ipow(T base) {
    if constexpr (exponent < 0 || detail::isInteger<T>)
        return ipow(base, exponent);
    else if constexpr (exponent == 0)
        return T(1);
    else if constexpr (exponent == 1)
        return base;
    else if constexpr (exponent % 2 != 0)
        return static_cast<T>(ipow<exponent - 1>(base) * base);
    else
        return ipow<exponent / 2>(static_cast<T>(base * base));
}

/// The non-negative greatest common divisor; gcd(0, 0) is 0.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> gcd(T a, U b) {
    using R = detail::OperandsT<T, U>;
    auto x = detail::magnitude(static_cast<R>(a)), y = detail::magnitude(static_cast<R>(b));
    while (y != 0) {
        const auto remainder = static_cast<decltype(x)>(x % y);
        x = y;
        y = remainder;
    }
    return static_cast<R>(x);
}

/// The non-negative least common multiple; 0 if either argument is 0.
template <class T, class U> SDFGC_HD constexpr detail::OperandsT<T, U> lcm(T a, U b) {
    using R = detail::OperandsT<T, U>;
    const auto x = detail::magnitude(static_cast<R>(a)), y = detail::magnitude(static_cast<R>(b));
    const auto divisor = detail::magnitude(gcd(a, b));
    return divisor == 0 ? R(0) : static_cast<R>(x / divisor * y);
}

/// -1, 0 or 1 as int; 0 for NaN.
template <class T> SDFGC_HD constexpr int sgn(T a) { return (T(0) < a) - (a < T(0)); }

/// -1, 0 or 1 in the type of a; NaN for NaN, as NumPy.
template <class T> SDFGC_HD constexpr T sign(T a) { return a != a ? a : static_cast<T>((T(0) < a) - (a < T(0))); }

/// 1 / a in the type of a: for integers 0 unless |a| is 1, and 0 for a zero.
template <class T> SDFGC_HD constexpr T reciprocal(T a) {
    if constexpr (detail::isInteger<T>)
        return ipow(a, -1);
    else
        return static_cast<T>(T(1) / a);
}

/// The smallest integer that is not below a, in the type of a.
template <class T> SDFGC_HD constexpr T ceiling(T a) {
    if constexpr (detail::isInteger<T>)
        return a;
    else
        return static_cast<T>(detail::ceilOf(static_cast<detail::ComputeType<T>>(a)));
}

/// `condition ? a : b` in the common type; both are evaluated.
template <class T, class U> SDFGC_HD constexpr std::common_type_t<T, U> IfExpr(bool condition, T a, U b) {
    return condition ? static_cast<std::common_type_t<T, U>>(a) : static_cast<std::common_type_t<T, U>>(b);
}

} // namespace sdfgc::rt
