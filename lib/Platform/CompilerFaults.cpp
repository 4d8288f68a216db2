#include "sdfgc/Platform/CompilerFaults.h"

namespace sdfgc::platform {

std::span<const CompilerFault> compilerFaults() {
    static constexpr CompilerFault table[] = {
#define SDFGC_COMPILER_FAULT(Name, Which, What, SeenIn, AvoidedBy, Program, Needed)                                                \
    {Name, CompilerFault::Tool::Which, What, SeenIn, AvoidedBy, Program, Needed},
#include "sdfgc/Platform/CompilerFaults.def"
    };
    return table;
}

} // namespace sdfgc::platform
