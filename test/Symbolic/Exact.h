// Exact rational arithmetic, independent of simplification, with which symbolic expressions are compared.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

#include <cstdint>
#include <optional>

namespace sdfgc::exact {

/// A rational number with wide parts; empty if it is undefined or possibly too large.
struct Rational {
    __int128 n = 0, d = 1;
};
using Value = std::optional<Rational>;

constexpr __int128 limit = __int128(1) << 60;

inline Value make(__int128 n, __int128 d) {
    if (d == 0)
        return std::nullopt;
    __int128 a = n < 0 ? -n : n, b = d < 0 ? -d : d;
    while (b) {
        __int128 r = a % b;
        a = b;
        b = r;
    }
    if (a != 0) {
        n /= a;
        d /= a;
    }
    if (d < 0) {
        n = -n;
        d = -d;
    }
    if (n > limit || n < -limit || d > limit)
        return std::nullopt;
    return Rational{n, d};
}

inline Value add(const Rational &a, const Rational &b) { return make(a.n * b.d + b.n * a.d, a.d * b.d); }
inline Value negate(const Rational &a) { return make(-a.n, a.d); }
inline Value multiply(const Rational &a, const Rational &b) {
    if ((a.n > limit >> 10 || a.n < -(limit >> 10)) && (b.n > limit >> 10 || b.n < -(limit >> 10)))
        return std::nullopt;
    return make(a.n * b.n, a.d * b.d);
}
inline Value divide(const Rational &a, const Rational &b) {
    return b.n == 0 ? std::nullopt : multiply(a, b.n < 0 ? Rational{-b.d, -b.n} : Rational{b.d, b.n});
}
inline Rational floorOf(const Rational &a) { return {a.n / a.d - (a.n % a.d != 0 && a.n < 0), 1}; }
inline bool less(const Rational &a, const Rational &b) { return a.n * b.d < b.n * a.d; }
inline bool isInteger(const Rational &a) { return a.d == 1; }

inline Value power(const Rational &a, int64_t n) {
    Value result = Rational{1, 1};
    for (int64_t k = 0; k < (n < 0 ? -n : n) && result; ++k)
        result = multiply(*result, a);
    return !result ? result : n < 0 ? divide({1, 1}, *result) : result;
}

inline Value integers(sym::SymbolicKind kind, const Rational &a, const Rational &b) {
    if (!isInteger(a) || !isInteger(b))
        return std::nullopt;
    switch (kind) {
    case sym::SymbolicKind::BitAnd:
        return make(a.n & b.n, 1);
    case sym::SymbolicKind::BitXor:
        return make(a.n ^ b.n, 1);
    case sym::SymbolicKind::Shl:
        return make(a.n << static_cast<int>(b.n), 1);
    default:
        return make(a.n >> static_cast<int>(b.n), 1);
    }
}

inline Rational truth(bool b) { return {b ? 1 : 0, 1}; }

/// The value of a quotient where it is compared, tested or used.
inline Rational truncatedValue(const Rational &a) { return {a.n / a.d, 1}; }

} // namespace sdfgc::exact
