// Factorisations and solutions of dense systems on the device: one dialect for cuSOLVER, hipSOLVER and, in the emulation, LAPACKE.
//
// Rules: matrices are column-major, as LAPACK's: element (i, j) is at [i + j * ld]. Matrices, pivots and info are in device memory
// (or page-locked host memory). Pivots count from one. `info` gets LAPACK's result: zero, or the first pivot that is zero (not
// positive); null if it is not requested. Every operation is queued in the given stream and returns at once; its workspace comes
// from the stream's pool and returns to it. Types: float, double, complex64, complex128. A failed call throws rt::Error, as the
// operations of gpu_program.h do. One Solver is a member of a program's state; it makes the library's handle at the first call, and
// one thread at a time may use it. Link the library "gpusolver" (docs/user/build.md), which is cusolver, hipsolver or lapacke.
//
//   struct state_t { gpu::Program gpu; gpu::Solver solver; ... };
//   __state->solver.getrf(__state->gpu.stream(0), N, A, N, pivots);
//   __state->solver.getrs(__state->gpu.stream(0), Op::None, N, 1, A, N, pivots, b, N);
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/operation.h"
#include "sdfgc/rt/gpu_program.h"

#include SDFGC_GPU_HEADER(solver)

namespace sdfgc::gpu {

/// All back ends define detail::SolverLibrary with these operations for sizes above zero; they return false on failure.
class Solver {
public:
    Solver() noexcept = default;
    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;

    /// A = P L U in place, of a square matrix; row i was exchanged with row pivots[i] - 1.
    template <class T> void getrf(Stream stream, int64_t n, T *A, int64_t lda, int *pivots, int *info = nullptr) {
        if (n > 0)
            done(library_.getrf(stream, n, A, lda, pivots, info), "getrf");
        else
            nothing(stream, info);
    }

    /// B = op(A)^-1 B for `count` columns, from getrf's factors of A.
    template <class T>
    void getrs(Stream stream, Op op, int64_t n, int64_t count, const T *A, int64_t lda, const int *pivots, T *B, int64_t ldb,
               int *info = nullptr) {
        if (n > 0 && count > 0)
            done(library_.getrs(stream, op, n, count, A, lda, pivots, B, ldb, info), "getrs");
        else
            nothing(stream, info);
    }

    /// The same for `batch` matrices that begin `strideA` elements apart, without info; the pivots of a matrix follow those of the one
    /// before.
    template <class T> void getrfBatched(Stream stream, int64_t n, T *A, int64_t lda, int64_t strideA, int *pivots, int64_t batch) {
        if (n > 0 && batch > 0)
            done(library_.getrfBatched(stream, n, A, lda, strideA, pivots, batch), "getrfBatched");
    }

    /// The solutions with `batch` matrices, from getrfBatched's factors. The right-hand sides begin `strideB` elements apart.
    template <class T>
    void getrsBatched(Stream stream, Op op, int64_t n, int64_t count, const T *A, int64_t lda, int64_t strideA, const int *pivots,
                      T *B, int64_t ldb, int64_t strideB, int64_t batch) {
        if (n > 0 && count > 0 && batch > 0)
            done(library_.getrsBatched(stream, op, n, count, A, lda, strideA, pivots, B, ldb, strideB, batch), "getrsBatched");
    }

    /// A = L L^H (lower triangle) or U^H U in place; the other triangle is left alone.
    template <class T> void potrf(Stream stream, Triangle triangle, int64_t n, T *A, int64_t lda, int *info = nullptr) {
        if (n > 0)
            done(library_.potrf(stream, triangle, n, A, lda, info), "potrf");
        else
            nothing(stream, info);
    }

private:
    static void nothing(Stream stream, int *info) {
        if (info)
            check(memsetAsync(info, 0, sizeof *info, stream), "clearing a result");
    }
    static void done(bool success, const char *what) {
        detail::requireSuccess(success, "the device's LAPACK library failed in ", what);
    }

    detail::SolverLibrary library_;
};

} // namespace sdfgc::gpu
