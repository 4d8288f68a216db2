// Options of passes that are one of several words: the types of the rows SDFGC_PASS_CHOICE in Passes.def.
#pragma once

#include "sdfgc/Pass/CompileOptions.h"
#include "sdfgc/Tasklet/Derivatives.h"

namespace sdfgc::transforms {

namespace gradient {
/// Gradients, after the program, or tangents, along with it.
enum class Mode : uint8_t { Reverse, Forward };
/// The initial value of the gradient of the result.
enum class Seed : uint8_t { One, Argument };
/// The initial value of the other gradients.
enum class Init : uint8_t { Zero, Accumulate };
/// What is left of a program with its gradient.
enum class Part : uint8_t { Both, Forward, Backward };
} // namespace gradient

/// Which Reduce nodes in device memory call a library.
enum class DeviceReductions : uint8_t { Named, Library, Kernels };
/// How long planned memory is kept: from call to call by the handle, or for one call.
enum class MemoryKept : uint8_t { Handle, Call };

} // namespace sdfgc::transforms

namespace sdfgc {
template <> struct Words<transforms::gradient::Mode> { static constexpr std::string_view list[] = {"reverse", "forward"}; };
template <> struct Words<transforms::gradient::Seed> { static constexpr std::string_view list[] = {"one", "argument"}; };
template <> struct Words<transforms::gradient::Init> { static constexpr std::string_view list[] = {"zero", "accumulate"}; };
template <> struct Words<transforms::gradient::Part> {
    static constexpr std::string_view list[] = {"both", "forward", "backward"};
};
template <> struct Words<transforms::DeviceReductions> {
    static constexpr std::string_view list[] = {"named", "library", "kernels"};
};
template <> struct Words<transforms::MemoryKept> { static constexpr std::string_view list[] = {"handle", "call"}; };
} // namespace sdfgc
