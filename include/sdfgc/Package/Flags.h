// The flags that generated C++ is compiled with: the one table behind `sdfgc build`, the CMake project and the manifest.
#pragma once

#include "sdfgc/Pass/FloatContract.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::package {

/// Compile flags of both GCC and Clang, in the order in which they are given. Users' flags come after them, so that they win.
/// `-ffast-math` must not reach a link command: GCC would add start-up code that changes the floating-point mode of the host
/// program.
std::vector<std::string> compileFlags(pass::FpModel model, bool openmp);

/// Further flags for GCC only: a product of complex numbers is the plain formula and a quotient is Smith's, as NumPy computes them
/// (docs/user/semantics.md). Without them each product tests for NaN and may call a function, so that no loop with one is vectorised.
std::vector<std::string> gccFlags(pass::FpModel model);

/// nvcc's own flags, beside those of its host compiler.
std::vector<std::string> cudaFlags(pass::FpModel model);

/// Flags of the command that makes the shared library `lib<name>.so`, without objects and libraries.
std::vector<std::string> linkFlags(std::string_view name, bool openmp);

} // namespace sdfgc::package
