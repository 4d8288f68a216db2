// Number literals: Python spelling to the canonical texts that Expr keeps (decimal digits, shortest round-trip floats).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::py::detail {

/// Maximum number of digits of an integer literal (CPython's own limit for decimal text).
inline constexpr std::size_t maxIntegerDigits = 4300;

/// Decimal digits, without leading zeros, of the number that `digits` (no prefix, no underscores) denotes in `base` (2, 8, 10, 16).
std::string toDecimal(std::string_view digits, int base);

/// The token that Python's repr prints: `0.1`, `1e-05`, `1e+16`; infinity is `inf`, not a number is `nan`.
std::string floatToken(double value);

/// Value of a token made by floatToken, or of any C float literal.
double floatValue(std::string_view token);

/// Value of decimal digits if it fits in 64 bits.
std::optional<uint64_t> unsignedValue(std::string_view digits);

} // namespace sdfgc::py::detail
