// The version of sdfgc.
#pragma once

#include <string_view>

namespace sdfgc {

/// `0.1.0`: the version of the CMake project.
std::string_view version();

} // namespace sdfgc
