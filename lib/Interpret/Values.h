// The scalar types of containers as C++ types, and conversions between them as in C++ (docs/user/semantics.md, *Types*).
//
// This is written for the interpreter alone, and shares nothing with the headers that generated programs include.
#pragma once

#include "sdfgc/Types/Layout.h"
#include "sdfgc/Types/SmallFloat.h"
#include "sdfgc/Types/Type.h"

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace sdfgc::interpret {

/// Floating-point formats without a C++ type: stored as bits. Arithmetic uses float.
template <ScalarKind kind, class Bits> struct LowFloat { Bits bits = 0; };
using Float16 = LowFloat<ScalarKind::Float16, uint16_t>;
using BFloat16 = LowFloat<ScalarKind::BFloat16, uint16_t>;
using Float8E4M3 = LowFloat<ScalarKind::Float8E4M3FN, uint8_t>;
using Float8E5M2 = LowFloat<ScalarKind::Float8E5M2, uint8_t>;

template <class T> inline constexpr bool isLow = false;
template <ScalarKind k, class B> inline constexpr bool isLow<LowFloat<k, B>> = true;
template <class T> inline constexpr bool isComplexType = false;
template <class T> inline constexpr bool isComplexType<std::complex<T>> = true;

template <ScalarKind k, class B> float value(LowFloat<k, B> x) { return static_cast<float>(widen(k, x.bits)); } // exact
template <class T> T value(T x) { return x; }

/// A floating-point number converted to an integer type, rounded towards zero. C++ leaves the result undefined for numbers that do
/// not fit: here it is the nearest one that does, and 0 for NaN.
template <class To> To truncated(double x) {
    constexpr double above = static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2; // the first value that is too large
    if (x >= above)
        return std::numeric_limits<To>::max();
    if (x <= static_cast<double>(std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
    return x == x ? static_cast<To>(x) : To(0);
}

/// `x` converted to another type by the rules of C++; for a complex number, its real part.
template <class To, class From> To converted(From x) {
    if constexpr (isLow<From>) {
        return converted<To>(value(x));
    } else if constexpr (isLow<To>) {
        To out;
        if constexpr (isComplexType<From>)
            out = converted<To>(x.real());
        else
            out.bits = static_cast<decltype(out.bits)>(narrow(std::is_same_v<To, Float16>      ? ScalarKind::Float16
                                                              : std::is_same_v<To, BFloat16>   ? ScalarKind::BFloat16
                                                              : std::is_same_v<To, Float8E4M3> ? ScalarKind::Float8E4M3FN
                                                                                               : ScalarKind::Float8E5M2,
                                                              static_cast<float>(x)));
        return out;
    } else if constexpr (isComplexType<To>) {
        using Part = typename To::value_type;
        if constexpr (isComplexType<From>)
            return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
        else
            return To(static_cast<Part>(x), Part(0));
    } else if constexpr (isComplexType<From>) {
        return converted<To>(x.real());
    } else if constexpr (std::is_same_v<To, bool>) {
        return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return truncated<To>(static_cast<double>(x));
    } else {
        return static_cast<To>(x);
    }
}

template <class T> struct Tag { using type = T; };

/// Calls `f(Tag<T>())` with the C++ type of a kind that supports arithmetic: integers of 32 and 64 bits, float, double, complex
/// numbers. Returns false for others.
template <class F> bool withNumber(ScalarKind k, F &&f) {
    switch (k) {
    case ScalarKind::Int32:
        f(Tag<int32_t>());
        return true;
    case ScalarKind::Int64:
        f(Tag<int64_t>());
        return true;
    case ScalarKind::UInt32:
        f(Tag<uint32_t>());
        return true;
    case ScalarKind::UInt64:
        f(Tag<uint64_t>());
        return true;
    case ScalarKind::Float32:
        f(Tag<float>());
        return true;
    case ScalarKind::Float64:
        f(Tag<double>());
        return true;
    case ScalarKind::Complex64:
        f(Tag<std::complex<float>>());
        return true;
    case ScalarKind::Complex128:
        f(Tag<std::complex<double>>());
        return true;
    default:
        return false;
    }
}

/// The same for every numeric scalar kind.
template <class F> bool withScalar(ScalarKind k, F &&f) {
    switch (k) {
    case ScalarKind::Bool:
        f(Tag<bool>());
        return true;
    case ScalarKind::Int8:
        f(Tag<int8_t>());
        return true;
    case ScalarKind::Int16:
        f(Tag<int16_t>());
        return true;
    case ScalarKind::UInt8:
        f(Tag<uint8_t>());
        return true;
    case ScalarKind::UInt16:
        f(Tag<uint16_t>());
        return true;
    case ScalarKind::Float16:
        f(Tag<Float16>());
        return true;
    case ScalarKind::BFloat16:
        f(Tag<BFloat16>());
        return true;
    case ScalarKind::Float8E4M3FN:
        f(Tag<Float8E4M3>());
        return true;
    case ScalarKind::Float8E5M2:
        f(Tag<Float8E5M2>());
        return true;
    default:
        return withNumber(k, std::forward<F>(f));
    }
}

/// The type of a scalar in arithmetic: bool and integers below 32 bits become int32, floats below 32 bits float32.
Type arithmeticTypeOf(Type scalar);

} // namespace sdfgc::interpret
