// Text of floating-point numbers.
#pragma once

#include <optional>
#include <string>

namespace sdfgc {

/// Returns the shortest text that parses to the same (finite) number, always recognisable as a float: `1.0`, `0.1`,
/// `1e+20`.
std::string floatText(double v);

/// Returns the number that a text is, with nothing around it; nothing for any other text.
std::optional<double> numberIn(const std::string &text);

} // namespace sdfgc
