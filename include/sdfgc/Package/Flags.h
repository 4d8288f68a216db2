// The compile flags of generated C++: the one table for `sdfgc build`, the CMake project and the manifest.
#pragma once

#include "sdfgc/Pass/FloatContract.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::package {

/// Returns the compile flags for GCC and Clang, in order, without -march (Processors.h). The user's flags follow and
/// override them. `-ffast-math` must
/// not reach a link command: GCC would add start-up code that changes the floating-point mode of the host program.
std::vector<std::string> compileFlags(pass::FpModel model, bool openmp);

/// Returns additional flags for GCC only: products of complex numbers use the plain formula and quotients Smith's, as
/// in NumPy (docs/user/semantics.md). Otherwise each product tests for NaN and may call a function, which prevents
/// vectorisation of the loop.
std::vector<std::string> gccFlags(pass::FpModel model);

/// Returns additional flags for Clang only: it calls the functions of libmvec by this flag, not by the declarations in
/// runtime-headers/sdfgc/rt/vectormath.h. They must be left out where the C library has no such functions: on machines other
/// than x86-64 with glibc, unless SLEEF provides them.
std::vector<std::string> clangFlags(pass::VectorMath vectorMath);

/// Is a machine, as compilers name it (`x86_64-pc-linux-gnu`), one for which Clang takes clangFlags of a library?
bool takesClangFlags(pass::VectorMath vectorMath, std::string_view machine);

/// Returns nvcc's own flags, besides those of its host compiler.
std::vector<std::string> cudaFlags(pass::FpModel model);

/// Returns the flags of the command that links the shared library `lib<name>.so`, without objects and libraries.
std::vector<std::string> linkFlags(std::string_view name, bool openmp);

} // namespace sdfgc::package
