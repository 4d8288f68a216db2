// The version of sdfgc.
#pragma once

#include <string_view>

namespace sdfgc {

/// Returns the version of the CMake project: `0.1.0`.
std::string_view version();

} // namespace sdfgc
