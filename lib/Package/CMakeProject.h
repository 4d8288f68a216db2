// The CMake project of a build folder.
#pragma once

#include "sdfgc/Package/Package.h"

namespace sdfgc::package {

std::string cmakeLists(const Request &r);
std::string cmakePresets(const Request &r);

} // namespace sdfgc::package
