// C++ tasklets for the interpreter: compiled by the toolchain and loaded into this process.
#pragma once

#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Interpret/Native.h"
#include "sdfgc/Support/Log.h"

namespace sdfgc::build {

/// Returns a compiler that works in a subfolder of the toolchain's cache, one for each text, so nothing is compiled
/// twice; without a cache, in a temporary folder. Looks for the toolchain on first use. `log`, if any, must outlive the
/// returned compiler.
interpret::NativeCompiler taskletCompiler(ToolchainOptions options, Log *log = nullptr);

} // namespace sdfgc::build
