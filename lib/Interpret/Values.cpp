#include "Values.h"

#include <algorithm>
#include <cmath>

namespace sdfgc::interpret {

namespace {

/// A format: bits of the exponent and of the fraction, and whether the largest exponent represents infinities (otherwise it
/// represents numbers, and all ones is NaN).
struct Format {
    int exponentBits, fractionBits;
    bool infinities;
    int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

Format formatOf(ScalarKind k) {
    switch (k) {
    case ScalarKind::Float16:
        return {5, 10, true};
    case ScalarKind::BFloat16:
        return {8, 7, true};
    case ScalarKind::Float8E4M3FN:
        return {4, 3, false};
    default:
        return {5, 2, true};
    }
}

} // namespace

float widen(ScalarKind format, unsigned bits) {
    const Format f = formatOf(format);
    const int largest = (1 << f.exponentBits) - 1, fractions = 1 << f.fractionBits;
    const int fraction = static_cast<int>(bits) & (fractions - 1), exponent = static_cast<int>(bits >> f.fractionBits) & largest;
    const float sign = (bits >> (f.exponentBits + f.fractionBits)) & 1U ? -1.0F : 1.0F;
    if (f.infinities && exponent == largest)
        return fraction ? std::copysign(std::nanf(""), sign) : sign * INFINITY;
    if (!f.infinities && exponent == largest && fraction == fractions - 1)
        return std::copysign(std::nanf(""), sign);
    const int whole = exponent ? fractions + fraction : fraction;
    return sign * std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - f.bias() - f.fractionBits);
}

unsigned narrow(ScalarKind format, float value) {
    const Format f = formatOf(format);
    const unsigned largest = (1U << f.exponentBits) - 1, fractions = 1U << f.fractionBits;
    const unsigned sign = std::signbit(value) ? 1U << (f.exponentBits + f.fractionBits) : 0U;
    const unsigned infinity = largest << f.fractionBits;
    const unsigned nan = f.infinities ? infinity | (fractions >> 1) : infinity | (fractions - 1);
    if (std::isnan(value))
        return sign | nan;
    if (value == 0)
        return sign;
    if (std::isinf(value))
        return sign | (f.infinities ? infinity : nan);
    const double magnitude = std::fabs(static_cast<double>(value));
    int exponent = std::max(std::ilogb(magnitude), 1 - f.bias());
    auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, f.fractionBits - exponent))); // ties to even
    if (units == 2 * fractions) {
        units = fractions;
        ++exponent;
    }
    const int stored = units < fractions ? 0 : exponent + f.bias();
    const unsigned bits = (static_cast<unsigned>(stored) << f.fractionBits) + (units & (fractions - 1));
    if (bits >= (f.infinities ? infinity : infinity | (fractions - 1)))
        return sign | (f.infinities ? infinity : nan);
    return sign | bits;
}

Type arithmeticTypeOf(Type scalar) {
    if (scalar.isBool() || (scalar.isInteger() && sizeOf(scalar) < 4))
        return ScalarKind::Int32;
    return scalar.isFloat() && sizeOf(scalar) < 4 ? Type(ScalarKind::Float32) : scalar;
}

namespace {

int64_t alignmentOf(Type t) {
    if (t.isVector())
        return sizeOf(t.element());
    if (t.isComplex())
        return sizeOf(t) / 2;
    if (!t.isStruct())
        return std::max<int64_t>(sizeOf(t), 1);
    int64_t most = 1;
    for (const auto &[name, field] : t.fields())
        most = std::max(most, alignmentOf(field));
    return most;
}

int64_t roundedUp(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

} // namespace

std::optional<int64_t> offsetOf(Type structure, Name field) {
    int64_t at = 0;
    for (const auto &[name, type] : structure.fields()) {
        at = roundedUp(at, alignmentOf(type));
        if (name == field)
            return at;
        at += sizeOf(type);
    }
    return std::nullopt;
}

int64_t sizeOf(Type t) {
    if (!t.isStruct())
        return t.isOpaque() ? 0 : t.bytes().value_or(0);
    int64_t at = 0;
    for (const auto &[name, type] : t.fields())
        at = roundedUp(at, alignmentOf(type)) + sizeOf(type);
    return roundedUp(at, alignmentOf(t));
}

} // namespace sdfgc::interpret
