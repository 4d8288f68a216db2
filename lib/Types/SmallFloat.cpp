#include "sdfgc/Types/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sdfgc {

namespace {

/// A format: bits of the exponent and of the fraction, and whether the largest exponent represents infinities (otherwise it
/// represents numbers, and all ones is NaN).
struct SmallFloat {
    int exponentBits, fractionBits;
    bool infinities;
    int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

SmallFloat formatOf(ScalarKind k) {
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

bool isSmallFloat(ScalarKind k) {
    return k == ScalarKind::Float16 || k == ScalarKind::BFloat16 || k == ScalarKind::Float8E4M3FN || k == ScalarKind::Float8E5M2;
}

double widen(ScalarKind format, std::uint32_t bits) {
    const SmallFloat f = formatOf(format);
    const int largest = (1 << f.exponentBits) - 1, fractions = 1 << f.fractionBits;
    const int fraction = static_cast<int>(bits) & (fractions - 1), exponent = static_cast<int>(bits >> f.fractionBits) & largest;
    const double sign = (bits >> (f.exponentBits + f.fractionBits)) & 1U ? -1.0 : 1.0;
    const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    if (f.infinities && exponent == largest)
        return fraction ? nan : sign * std::numeric_limits<double>::infinity();
    if (!f.infinities && exponent == largest && fraction == fractions - 1)
        return nan;
    const int whole = exponent ? fractions + fraction : fraction;
    return sign * std::ldexp(whole, std::max(exponent, 1) - f.bias() - f.fractionBits);
}

std::uint32_t narrow(ScalarKind format, double value) {
    const SmallFloat f = formatOf(format);
    const std::uint32_t largest = (1U << f.exponentBits) - 1, fractions = 1U << f.fractionBits;
    const std::uint32_t sign = std::signbit(value) ? 1U << (f.exponentBits + f.fractionBits) : 0U;
    const std::uint32_t top = largest << f.fractionBits;
    const std::uint32_t nan = f.infinities ? top | (fractions >> 1) : top | (fractions - 1);
    const std::uint32_t beyond = f.infinities ? top : nan; // what stands for numbers that are too large
    if (std::isnan(value))
        return sign | nan;
    if (value == 0)
        return sign;
    if (std::isinf(value))
        return sign | beyond;
    const double magnitude = std::fabs(value);
    int exponent = std::max(std::ilogb(magnitude), 1 - f.bias());
    auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, f.fractionBits - exponent))); // ties to even
    if (units == 2 * fractions) {
        units = fractions;
        ++exponent;
    }
    const int stored = units < fractions ? 0 : exponent + f.bias();
    const std::uint32_t bits = (static_cast<std::uint32_t>(stored) << f.fractionBits) + (units & (fractions - 1));
    return sign | std::min(bits, beyond);
}

} // namespace sdfgc
