// What other build systems find in a build folder.
#pragma once

#include "sdfgc/Package/Package.h"

namespace sdfgc::package {

/// CMakeLists.txt. A GPU program's project has the option SDFGC_EMULATE: the same sources with the C++ compiler alone.
std::string cmakeLists(const Request &r);
/// CMakePresets.json
std::string cmakePresets(const Request &r);
/// <name>.pc
std::string pkgConfig(const Request &r);

} // namespace sdfgc::package
