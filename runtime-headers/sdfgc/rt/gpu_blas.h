// Dense linear algebra on the device: one dialect for cuBLAS, hipBLAS and, in the emulation, CBLAS.
//
// Rules: all matrices are row-major: element (i, j) is at [i * ld + j]. Vectors and matrices, including the results of dot and
// nrm2, are in device memory (or page-locked host memory); scalars are read at the call. Every operation is queued in the stream
// that it is given and returns at once. Sizes may be 0, and leading dimensions with them: an empty sum is 0. Types: float, double,
// complex64, complex128. A failed call throws rt::Error, as the operations of gpu_program.h do. One Blas is a member of a program's
// state; it makes the library's handle at the first call, and one thread at a time may use it. Calls can be nodes of graphs
// (gpu_graph.h). Link the library "gpublas" (docs/user/build.md), which is cublas, hipblas or openblas.
//
//   struct state_t { gpu::Program gpu; gpu::Blas blas; ... };
//   __state->blas.gemm(__state->gpu.stream(0), Op::None, Op::None, M, N, K, 1.0, A, K, B, N, 0.0, C, N);
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/operation.h"
#include "sdfgc/rt/gpu_program.h"

#include SDFGC_GPU_HEADER(blas)

namespace sdfgc::gpu {

/// All back ends define detail::BlasLibrary with these operations on column-major matrices; they return false on failure. The
/// library's handle is made by the first call and bound to the stream by each.
///   gemm(Stream, Op a, Op b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)      gemmStridedBatched(..., with strides, batch)
///   gemv(Stream, Op, m, n, alpha, A, lda, x, incx, beta, y, incy)               ger(Stream, m, n, alpha, x, incx, y, incy, A, lda)
///   geam(Stream, Op a, Op b, m, n, alpha, A, lda, beta, B, ldb, C, ldc)         dot, axpy, scal, nrm2 as below
///   trsm(Stream, Side, Triangle, Op, Diagonal, m, n, alpha, A, lda, B, ldb)
class Blas {
public:
    Blas() noexcept = default;
    Blas(const Blas &) = delete;
    Blas &operator=(const Blas &) = delete;

    /// C = alpha op(A) op(B) + beta C; op(A) has m rows and k columns, op(B) has k and n.
    template <class T>
    void gemm(Stream stream, Op opA, Op opB, int64_t m, int64_t n, int64_t k, rt::Plain<T> alpha, const T *A, int64_t lda,
              const T *B, int64_t ldb, rt::Plain<T> beta, T *C, int64_t ldc) {
        if (m > 0 && n > 0) // C^T = op(B)^T op(A)^T, and a transposed row-major matrix is the column-major one in the same memory
            done(library_.gemm(stream, opB, opA, n, m, k, alpha, B, positive(ldb), A, positive(lda), beta, C, ldc), "gemm");
    }

    /// The same for `batch` triples of matrices that begin `strideA`, `strideB`, `strideC` elements apart (A's and B's may be 0).
    template <class T>
    void gemmStridedBatched(Stream stream, Op opA, Op opB, int64_t m, int64_t n, int64_t k, rt::Plain<T> alpha, const T *A,
                            int64_t lda, int64_t strideA, const T *B, int64_t ldb, int64_t strideB, rt::Plain<T> beta, T *C,
                            int64_t ldc, int64_t strideC, int64_t batch) {
        if (m > 0 && n > 0 && batch > 0)
            done(library_.gemmStridedBatched(stream, opB, opA, n, m, k, alpha, B, positive(ldb), strideB, A, positive(lda), strideA,
                                             beta, C, ldc, strideC, batch),
                 "gemmStridedBatched");
    }

    /// y = alpha op(A) x + beta y; A has m rows and n columns.
    template <class T>
    void gemv(Stream stream, Op opA, int64_t m, int64_t n, rt::Plain<T> alpha, const T *A, int64_t lda, const T *x, int64_t incx,
              rt::Plain<T> beta, T *y, int64_t incy) {
        const int64_t rows = opA == Op::None ? m : n, terms = opA == Op::None ? n : m;
        if (rows <= 0)
            return;
        if (terms <= 0) // the libraries would return early: a matrix product scales y
            return gemm<T>(stream, Op::None, Op::None, rows, 1, 0, alpha, A, lda, x, incx, beta, y, incy);
        if (opA == Op::ConjugateTranspose) // as a product of matrices: BLAS cannot conjugate without transposing
            gemm<T>(stream, opA, Op::None, n, 1, m, alpha, A, lda, x, incx, beta, y, incy);
        else
            done(library_.gemv(stream, opA == Op::None ? Op::Transpose : Op::None, n, m, alpha, A, lda, x, incx, beta, y, incy),
                 "gemv");
    }

    /// A += alpha x y^T, nothing conjugated; A has m rows and n columns.
    template <class T>
    void ger(Stream stream, int64_t m, int64_t n, rt::Plain<T> alpha, const T *x, int64_t incx, const T *y, int64_t incy, T *A,
             int64_t lda) {
        if (m > 0 && n > 0)
            done(library_.ger(stream, n, m, alpha, y, incy, x, incx, A, lda), "ger");
    }

    /// C = alpha op(A) + beta op(B), with m rows and n columns. C may be A or B if that one is not transposed.
    template <class T>
    void geam(Stream stream, Op opA, Op opB, int64_t m, int64_t n, rt::Plain<T> alpha, const T *A, int64_t lda, rt::Plain<T> beta,
              const T *B, int64_t ldb, T *C, int64_t ldc) {
        if (m > 0 && n > 0)
            done(library_.geam(stream, opA, opB, n, m, alpha, A, lda, beta, B, ldb, C, ldc), "geam");
    }

    /// B = A^T; A has m rows and n columns, and shares no memory with B.
    template <class T> void transpose(Stream stream, int64_t m, int64_t n, const T *A, int64_t lda, T *B, int64_t ldb) {
        geam<T>(stream, Op::Transpose, Op::None, n, m, T(1), A, lda, T(0), B, ldb, B, ldb);
    }

    /// B = alpha op(A)^-1 B, or alpha B op(A)^-1 (Side::Right), by one triangle of A; B has m rows and n columns.
    template <class T>
    void trsm(Stream stream, Side side, Triangle triangle, Op opA, Diagonal diagonal, int64_t m, int64_t n, rt::Plain<T> alpha,
              const T *A, int64_t lda, T *B, int64_t ldb) {
        if (m > 0 && n > 0) // the same for the transposed matrices: the other side, and the other triangle
            done(library_.trsm(stream, side == Side::Left ? Side::Right : Side::Left,
                               triangle == Triangle::Lower ? Triangle::Upper : Triangle::Lower, opA, diagonal, n, m, alpha, A, lda,
                               B, ldb),
                 "trsm");
    }

    /// *result = sum of x[i] y[i], nothing conjugated.
    template <class T> void dot(Stream stream, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result) {
        done(library_.dot(stream, n > 0 ? n : 0, x, incx, y, incy, result), "dot");
    }

    /// y += alpha x.
    template <class T> void axpy(Stream stream, int64_t n, rt::Plain<T> alpha, const T *x, int64_t incx, T *y, int64_t incy) {
        if (n > 0)
            done(library_.axpy(stream, n, alpha, x, incx, y, incy), "axpy");
    }

    /// x *= alpha.
    template <class T> void scal(Stream stream, int64_t n, rt::Plain<T> alpha, T *x, int64_t incx) {
        if (n > 0)
            done(library_.scal(stream, n, alpha, x, incx), "scal");
    }

    /// *result = square root of the sum of |x[i]|^2.
    template <class T> void nrm2(Stream stream, int64_t n, const T *x, int64_t incx, detail::RealOf<T> *result) {
        done(library_.nrm2(stream, n > 0 ? n : 0, x, incx, result), "nrm2");
    }

    /// For graphs that record calls (gpu/graph_calls.h): makes the library's handle, and returns the bytes of the workspace in
    /// device memory that all recorded calls share.
    size_t workspaceBytes() {
        size_t bytes = 0;
        done(library_.open(bytes), "the creation of its handle");
        return bytes;
    }
    /// From now on calls use this workspace; null: the library's own.
    void lend(void *workspace, size_t bytes) { library_.lend(workspace, bytes); }

private:
    /// A leading dimension that the libraries accept, even for empty matrices.
    static int64_t positive(int64_t ld) { return ld > 0 ? ld : 1; }
    static void done(bool success, const char *what) {
        detail::requireSuccess(success, "the device's BLAS library failed in ", what);
    }

    detail::BlasLibrary library_;
};

/// The operations as objects, for graphs that record them: `graph.call({"gemm"}, {}, library, blas::gemm, arguments...)`.
namespace blas {

#define SDFGC_BLAS_OPERATION(name)                                                                                                 \
    struct name##Operation {                                                                                                       \
        template <class... A> void operator()(Blas &library, Stream stream, const A &...arguments) const {                         \
            library.name(stream, arguments...);                                                                                    \
        }                                                                                                                          \
    };                                                                                                                             \
    inline constexpr name##Operation name;
SDFGC_BLAS_OPERATION(gemm)
SDFGC_BLAS_OPERATION(gemmStridedBatched)
SDFGC_BLAS_OPERATION(gemv)
SDFGC_BLAS_OPERATION(ger)
SDFGC_BLAS_OPERATION(geam)
SDFGC_BLAS_OPERATION(transpose)
SDFGC_BLAS_OPERATION(trsm)
SDFGC_BLAS_OPERATION(dot)
SDFGC_BLAS_OPERATION(axpy)
SDFGC_BLAS_OPERATION(scal)
SDFGC_BLAS_OPERATION(nrm2)
#undef SDFGC_BLAS_OPERATION

} // namespace blas

} // namespace sdfgc::gpu
