// --dace-files: files that DaCe's loader and its extension for VS Code read.
#pragma once

#include "sdfgc/Package/Package.h"

namespace sdfgc::package {

/// Returns the files, except for the libraries in `build` (placeDaceLibraries).
Files daceFiles(const Request &r);

} // namespace sdfgc::package
