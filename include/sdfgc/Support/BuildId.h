// Identifies the code of sdfgc that is running, for caches of its results.
#pragma once

#include <string>

namespace sdfgc {

/// Returns a text that differs for different code: the build id that the linker wrote into the executable or shared
/// library with this code or, if there is none, the hash of the executable's content. Empty if neither can be read.
std::string buildId();

} // namespace sdfgc
