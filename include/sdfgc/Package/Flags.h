// The compile flags of generated C++: the one table for `sdfgc build`, the CMake project and the manifest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::package {

enum class FpModel {
    Strict,   // every operation rounds as written
    Contract, // a * b + c may become a fused operation
    Fast,     // operations may be reordered, and infinities and NaNs are assumed not to occur
};
/// Parses `strict`, `contract` or `fast`; returns Strict for anything else (the command line has checked it).
FpModel fpModel(std::string_view name);

/// Returns the compile flags for GCC and Clang, in order. The user's flags follow and override them. `-ffast-math` must
/// not reach a link command: GCC would add start-up code that changes the floating-point mode of the host program.
std::vector<std::string> compileFlags(FpModel model, bool openmp);

/// Returns additional flags for GCC only: products of complex numbers use the plain formula and quotients Smith's, as
/// in NumPy (docs/user/semantics.md). Otherwise each product tests for NaN and may call a function, which prevents
/// vectorisation of the loop.
std::vector<std::string> gccFlags(FpModel model);

/// Returns nvcc's own flags, besides those of its host compiler.
std::vector<std::string> cudaFlags(FpModel model);

/// Returns the flags of the command that links the shared library `lib<name>.so`, without objects and libraries.
std::vector<std::string> linkFlags(std::string_view name, bool openmp);

} // namespace sdfgc::package
