// Shared by the headers over the device's libraries (gpu_blas.h, gpu_solver.h, gpu_sparse.h).
#pragma once

#include "sdfgc/rt/gpu_program.h"

#include <cstdio>
#include <initializer_list>

namespace sdfgc::gpu {

/// The operation applied to a matrix before it is used.
enum class Op { None, Transpose, ConjugateTranspose };
/// The triangle of a matrix that is read, or gets a factor.
enum class Triangle { Lower, Upper };
/// The side on which a matrix multiplies the unknown.
enum class Side { Left, Right };
/// The diagonal of a triangle: stored, or all ones.
enum class Diagonal { Stored, One };

namespace detail {

/// Do these sizes fit into `Int`, the library's type for sizes?
template <class Int> bool allFit(std::initializer_list<int64_t> sizes) {
    for (const int64_t n : sizes)
        if (n < 0 || static_cast<Int>(n) != n)
            return false;
    return true;
}

/// Throws, unless the call succeeded: `what`, then the operation's name.
inline void requireSuccess(bool success, const char *what, const char *operation) {
    if (success)
        return;
    char text[96];
    std::snprintf(text, sizeof text, "%s%s", what, operation);
    throw rt::Error(rt::DeviceError, text);
}

} // namespace detail

} // namespace sdfgc::gpu
