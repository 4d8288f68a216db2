#include "Symbolic/Number.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace sdfgc::sym {
namespace {

using Wide = __int128;

Wide magnitude(Wide v) { return v < 0 ? -v : v; }

Wide wideGcd(Wide a, Wide b) {
    a = magnitude(a);
    b = magnitude(b);
    while (b) {
        Wide r = a % b;
        a = b;
        b = r;
    }
    return a;
}

bool fits(Wide v) { return v >= std::numeric_limits<int64_t>::min() && v <= std::numeric_limits<int64_t>::max(); }

std::complex<double> toComplex(const Num &a) { return {a.toDouble(), a.kind == Num::Kind::Complex ? a.im : 0.0}; }
Num fromComplex(std::complex<double> c) { return Num::complex(c.real(), c.imag()); }

/// A complex number times a real one, part by part: with a complex one whose imaginary part is 0, a part of -0.0 would become 0.0.
Num scaled(const Num &a, double factor) { return Num::complex(a.re * factor, a.im * factor); }

bool either(const Num &a, const Num &b, Num::Kind kind) { return a.kind == kind || b.kind == kind; }

} // namespace

Num Num::real(double v) {
    Num r;
    r.kind = Kind::Real;
    r.re = v;
    return r;
}

Num Num::complex(double re, double im) {
    if (im == 0.0)
        return real(re);
    Num r;
    r.kind = Kind::Complex;
    r.re = re;
    r.im = im;
    return r;
}

Num Num::overflow() {
    Num r;
    r.kind = Kind::Overflow;
    return r;
}

Num Num::ratio(Wide n, Wide d) {
    if (d != 1) {
        Wide g = wideGcd(n, d);
        if (d < 0)
            g = -g;
        n /= g;
        d /= g;
    }
    if (!fits(n) || !fits(d))
        return overflow();
    Num r(static_cast<int64_t>(n));
    r.d = static_cast<int64_t>(d);
    return r;
}

bool operator==(const Num &a, const Num &b) {
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case Num::Kind::Exact:
        return a.n == b.n && a.d == b.d;
    case Num::Kind::Real:
        return a.re == b.re;
    case Num::Kind::Complex:
        return a.re == b.re && a.im == b.im;
    case Num::Kind::Overflow:
        return true;
    }
    return false;
}

Num operator+(const Num &a, const Num &b) {
    if (a.isExact() && b.isExact()) {
        int64_t sum = 0;
        if (a.d == 1 && b.d == 1 && !__builtin_add_overflow(a.n, b.n, &sum))
            return sum;
        return Num::ratio(Wide(a.n) * b.d + Wide(b.n) * a.d, Wide(a.d) * b.d);
    }
    if (either(a, b, Num::Kind::Overflow))
        return Num::overflow();
    if (a.isZero() || b.isZero()) // an exact zero keeps the sign of a floating one
        return a.isZero() ? b : a;
    if (either(a, b, Num::Kind::Complex))
        return fromComplex(toComplex(a) + toComplex(b));
    return Num::real(a.toDouble() + b.toDouble());
}

Num operator-(const Num &a) { return Num(-1) * a; }
Num operator-(const Num &a, const Num &b) { return a + -b; }

Num operator*(const Num &a, const Num &b) {
    if (a.isExact() && b.isExact()) {
        int64_t product = 0;
        if (a.d == 1 && b.d == 1 && !__builtin_mul_overflow(a.n, b.n, &product))
            return product;
        return Num::ratio(Wide(a.n) * b.n, Wide(a.d) * b.d);
    }
    if (either(a, b, Num::Kind::Overflow))
        return Num::overflow();
    if (a.kind == Num::Kind::Complex && b.kind == Num::Kind::Complex)
        return fromComplex(toComplex(a) * toComplex(b));
    if (a.kind == Num::Kind::Complex)
        return scaled(a, b.toDouble());
    if (b.kind == Num::Kind::Complex)
        return scaled(b, a.toDouble());
    if ((a.isZero() && std::isfinite(b.re)) || (b.isZero() && std::isfinite(a.re)))
        return 0;
    return Num::real(a.toDouble() * b.toDouble());
}

Num operator/(const Num &a, const Num &b) {
    if (a.isExact() && b.isExact())
        return Num::ratio(Wide(a.n) * b.d, Wide(a.d) * b.n);
    if (either(a, b, Num::Kind::Overflow))
        return Num::overflow();
    if (either(a, b, Num::Kind::Complex))
        return fromComplex(toComplex(a) / toComplex(b));
    return Num::real(a.toDouble() / b.toDouble());
}

Num power(Num a, int64_t exponent) {
    if (a.kind == Num::Kind::Real)
        return Num::real(std::pow(a.re, static_cast<double>(exponent)));
    if (a.kind == Num::Kind::Complex)
        return fromComplex(std::pow(toComplex(a), static_cast<double>(exponent)));
    if (exponent < 0) {
        a = Num(1) / a;
        if (exponent == std::numeric_limits<int64_t>::min())
            return a.isOne() || a == Num(-1) ? Num(1) : Num::overflow();
        exponent = -exponent;
    }
    Num result(1);
    for (; exponent && !result.isOverflow(); exponent >>= 1) {
        if (exponent & 1)
            result = result * a;
        if (exponent > 1)
            a = a * a; // an overflow here is used by a later bit, as the highest bit is set
    }
    return result;
}

std::strong_ordering compareExact(const Num &a, const Num &b) {
    if (a.d == 1 && b.d == 1)
        return a.n <=> b.n;
    return Wide(a.n) * b.d <=> Wide(b.n) * a.d;
}

std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
    if (b == -1) {
        int64_t r = 0;
        return __builtin_sub_overflow(int64_t(0), a, &r) ? std::nullopt : std::optional(r);
    }
    int64_t q = a / b;
    return q - ((a % b != 0) && ((a % b < 0) != (b < 0)));
}

int64_t floorModulo(int64_t a, int64_t b) {
    if (b == -1)
        return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t floorExact(const Num &a) { return *floorDivide(a.n, a.d); }

uint64_t gcd64(int64_t a, int64_t b) {
    auto unsignedMagnitude = [](int64_t v) { return v < 0 ? uint64_t(0) - static_cast<uint64_t>(v) : static_cast<uint64_t>(v); };
    return std::gcd(unsignedMagnitude(a), unsignedMagnitude(b));
}

int64_t gcdWith(int64_t positive, int64_t any) { return static_cast<int64_t>(gcd64(positive, any)); }

} // namespace sdfgc::sym
