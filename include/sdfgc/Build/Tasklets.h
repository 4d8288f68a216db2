// Tasklets in C++ for the interpreter: compiled by the toolchain, loaded into this process.
#pragma once

#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Interpret/Native.h"
#include "sdfgc/Support/Log.h"

namespace sdfgc::build {

/// Compiles in a folder below the toolchain's cache, one for each text, so that nothing is compiled twice; where nothing is cached, in
/// one of temporary files. The toolchain is looked for when it is needed. `log`, if any, must outlive what is returned.
interpret::NativeCompiler taskletCompiler(ToolchainOptions options, Log *log = nullptr);

} // namespace sdfgc::build
