// Products with a sparse matrix on the device: one dialect for cuSPARSE, hipSPARSE and, in the emulation, loops.
//
// Rules: the sparse matrix is in compressed rows, counted from zero: row i has the entries rows[i] .. rows[i + 1] - 1, with their
// columns in `columns` and their values in `values`. `rows` and `columns` are both int32 or both int64. All data is in device
// memory (or page-locked host memory); scalars are read at the call. Every operation is queued in the given stream and returns at
// once; its workspace comes from the stream's pool and returns to it. Types: float, double, complex64, complex128. Only library
// algorithms with bitwise identical results in every run are used. A failed call throws rt::Error, as the operations of
// gpu_program.h do. One Sparse is a member of a program's state; it makes the library's handle at the first call, and one thread at
// a time may use it. Link the library "gpusparse" (docs/user/build.md), which is cusparse, hipsparse or nothing.
//
//   struct state_t { gpu::Program gpu; gpu::Sparse sparse; ... };
//   __state->sparse.multiply(__state->gpu.stream(0), M, N, K, count, 1.0, rows, columns, values, B, N, 1, 0.0, C, N, 1);
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/operation.h"
#include "sdfgc/rt/gpu_program.h"

#include SDFGC_GPU_HEADER(sparse)

namespace sdfgc::gpu {

/// All back ends define detail::SparseLibrary with this operation for m and n above zero; it returns false on failure.
class Sparse {
public:
    Sparse() noexcept = default;
    Sparse(const Sparse &) = delete;
    Sparse &operator=(const Sparse &) = delete;

    /// C = alpha A B + beta C: the sparse A has m rows, k columns and `count` entries; B has k rows and n columns, C has m and n.
    /// Element (i, j) of B is at [i * rowB + j * columnB], one of which is 1; likewise of C. C is not read when beta is zero.
    template <class T, class Index>
    void multiply(Stream stream, int64_t m, int64_t n, int64_t k, int64_t count, rt::Plain<T> alpha, const Index *rows,
                  const Index *columns, const T *values, const T *B, int64_t rowB, int64_t columnB, rt::Plain<T> beta, T *C,
                  int64_t rowC, int64_t columnC) {
        if (m > 0 && n > 0)
            detail::requireSuccess(
                library_.multiply(stream, m, n, k, count, alpha, rows, columns, values, B, rowB, columnB, beta, C, rowC, columnC),
                "the device's library for sparse matrices failed in ", "multiply");
    }

private:
    detail::SparseLibrary library_;
};

} // namespace sdfgc::gpu
