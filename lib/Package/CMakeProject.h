// Files in a build folder for other build systems.
#pragma once

#include "sdfgc/Package/Package.h"

namespace sdfgc::package {

/// CMakeLists.txt. A GPU program's project has the option SDFGC_EMULATE, which builds the same sources with only the C++ compiler.
std::string cmakeLists(const Request &r);
/// CMakePresets.json
std::string cmakePresets(const Request &r);
/// <name>.pc
std::string pkgConfig(const Request &r);
/// The same for the static library, and its flags as a response file of the linker.
std::string staticPkgConfig(const Request &r);
std::string linkerFile(const Request &r);

} // namespace sdfgc::package
