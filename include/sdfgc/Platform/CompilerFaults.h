// Compiler bugs that generated code can run into: the table CompilerFaults.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sdfgc::platform {

/// A row of CompilerFaults.def, which documents the fields.
struct CompilerFault {
    enum class Tool : std::uint8_t { Cxx, Nvcc };
    std::string_view name;
    Tool tool = Tool::Cxx;
    std::string_view what, seenIn, avoidedBy, program, needed;
};

/// The faults, in table order.
std::span<const CompilerFault> compilerFaults();

} // namespace sdfgc::platform
