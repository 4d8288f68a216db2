// Text of floating-point numbers.
#pragma once

#include <string>

namespace sdfgc {

/// The shortest text that reads back as the (finite) number, always recognisable as that of a float: `1.0`, `0.1`, `1e+20`.
std::string floatText(double v);

} // namespace sdfgc
