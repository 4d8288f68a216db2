// The output of `sdfgc --version`.
#pragma once

#include <string>

namespace sdfgc::driver {

/// `0.1.0 (0123456789ab)`: the version with the commit of the compiled checkout; only the version if there was none.
std::string versionText();

} // namespace sdfgc::driver
