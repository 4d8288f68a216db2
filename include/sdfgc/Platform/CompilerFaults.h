// Faults of compilers that generated code can meet: the table CompilerFaults.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sdfgc::platform {

/// A row of CompilerFaults.def, which says what the fields mean.
struct CompilerFault {
    enum class Tool : std::uint8_t { Cxx, Nvcc };
    std::string_view name;
    Tool tool = Tool::Cxx;
    std::string_view what, seenIn, avoidedBy, program, needed;
};

/// The faults, in the order of the table.
std::span<const CompilerFault> compilerFaults();

} // namespace sdfgc::platform
