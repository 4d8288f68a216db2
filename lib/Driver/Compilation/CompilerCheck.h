// Which known bugs (sdfgc/Platform/CompilerFaults.h) a compiler has.
#pragma once

#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Platform/CompilerFaults.h"

namespace sdfgc::driver {

struct FaultCheck {
    enum Result : std::uint8_t { Absent, Present, NotTested } result = NotTested;
    std::string details; // Present: the symptom; NotTested: why
};

/// Compiles the test program of a bug with the flags of generated code and those of the toolchain file, and runs it if possible.
/// Files are written to `folder`, which must exist.
FaultCheck check(const platform::CompilerFault &fault, const build::Toolchain &toolchain, const std::string &folder);

} // namespace sdfgc::driver
