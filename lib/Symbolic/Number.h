// Numbers as coefficients: exact rationals of 64-bit parts, else doubles and complex doubles. An exact result that overflows 64
// bits becomes the value Overflow, which absorbs all later operations.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace sdfgc::sym {

struct Num {
    enum class Kind : uint8_t { Exact, Real, Complex, Overflow };
    Kind kind = Kind::Exact;
    int64_t n = 0, d = 1;  // Exact: n / d, reduced, d > 0
    double re = 0, im = 0; // Real, Complex

    Num() = default;
    Num(int v) : n(v) {}
    Num(int64_t v) : n(v) {}
    static Num real(double v);
    static Num complex(double re, double im); // Real when im is zero
    static Num overflow();
    /// n / d reduced; Overflow if it does not fit. d must not be 0.
    static Num ratio(__int128 n, __int128 d);

    bool isExact() const { return kind == Kind::Exact; }
    bool isInteger() const { return isExact() && d == 1; }
    bool isOverflow() const { return kind == Kind::Overflow; }
    /// Exact zero (a floating zero stays in the expression).
    bool isZero() const { return isExact() && n == 0; }
    bool isOne() const { return isExact() && n == 1 && d == 1; }
    /// Has a minus sign to print; false for complex values.
    bool isNegative() const { return isExact() ? n < 0 : kind == Kind::Real && re < 0; }
    double toDouble() const { return isExact() ? static_cast<double>(n) / static_cast<double>(d) : re; }

    friend bool operator==(const Num &a, const Num &b);
};

Num operator+(const Num &a, const Num &b);
Num operator-(const Num &a);
Num operator-(const Num &a, const Num &b);
Num operator*(const Num &a, const Num &b);
/// b must not be an exact zero.
Num operator/(const Num &a, const Num &b);
/// a to an integer power. 0 to a negative power is not allowed.
Num power(Num a, int64_t exponent);
/// Order of two exact numbers.
std::strong_ordering compareExact(const Num &a, const Num &b);
/// Floor of a / b for integers, b != 0 (Python's //); nothing on overflow (the least integer by -1).
std::optional<int64_t> floorDivide(int64_t a, int64_t b);
/// Python's %: sign of b, b != 0.
int64_t floorModulo(int64_t a, int64_t b);
/// An exact number rounded towards zero.
inline int64_t truncatedExact(const Num &a) { return a.n / a.d; }
/// Floor of an exact number.
int64_t floorExact(const Num &a);
/// gcd of magnitudes, never overflowing (gcd(INT64_MIN, 0) is returned as uint64_t).
uint64_t gcd64(int64_t a, int64_t b);
/// gcd as an int64 where the result is known to fit because a positive argument divides by it.
int64_t gcdWith(int64_t positive, int64_t any);

} // namespace sdfgc::sym
