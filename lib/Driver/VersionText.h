// What `sdfgc --version` says.
#pragma once

#include <string>

namespace sdfgc::driver {

/// `0.1.0 (0123456789ab)`: the version with the commit of the checkout that was compiled; the version alone where there was none.
std::string versionText();

} // namespace sdfgc::driver
