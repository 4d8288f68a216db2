// Values of floating-point types with fewer than 32 bits.
#pragma once

#include "sdfgc/Types/Type.h"

#include <cstdint>

namespace sdfgc {

/// Is it Float16, BFloat16, Float8E4M3FN or Float8E5M2?
bool isSmallFloat(ScalarKind k);
/// The value of the bits of a number.
double widen(ScalarKind format, std::uint32_t bits);
/// The bits of the nearest number of a format; ties go to even. Numbers beyond the largest become infinite, or NaN if the
/// format has no infinity.
std::uint32_t narrow(ScalarKind format, double value);

} // namespace sdfgc
