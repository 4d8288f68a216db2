// gpu_blas.h's operations by the host's CBLAS, queued in the emulated streams. Column-major, as the devices' libraries are.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/emulated_call.h"

#include <cblas.h>

namespace sdfgc::gpu::detail {

template <class T> struct RealOfType { using type = T; };
template <class T> struct RealOfType<std::complex<T>> { using type = T; };
template <class T> using RealOf = typename RealOfType<T>::type;

inline CBLAS_TRANSPOSE cblasOp(Op op) { return op == Op::None ? CblasNoTrans : op == Op::Transpose ? CblasTrans : CblasConjTrans; }

/// Scalars go to CBLAS by value if they are real, else by address.
inline float cblasScalar(const float &value) { return value; }
inline double cblasScalar(const double &value) { return value; }
template <class T> const void *cblasScalar(const std::complex<T> &value) { return &value; }

template <class T> struct Cblas;
#define SDFGC_CBLAS_TYPE(T, p, geru, dotu, norm)                                                                                   \
    template <> struct Cblas<T> {                                                                                                  \
        template <class... A> static void gemm(A... a) { cblas_##p##gemm(CblasColMajor, a...); }                                   \
        template <class... A> static void trsm(A... a) { cblas_##p##trsm(CblasColMajor, a...); }                                   \
        template <class... A> static void gemv(A... a) { cblas_##p##gemv(CblasColMajor, a...); }                                   \
        template <class... A> static void ger(A... a) { cblas_##geru(CblasColMajor, a...); }                                       \
        template <class... A> static void axpy(A... a) { cblas_##p##axpy(a...); }                                                  \
        template <class... A> static void scal(A... a) { cblas_##p##scal(a...); }                                                  \
        template <class... A> static auto nrm2(A... a) { return cblas_##norm(a...); }                                              \
        static void dot(T *result, int n, const T *x, int incx, const T *y, int incy) { dotu; }                                    \
    };
SDFGC_CBLAS_TYPE(float, s, sger, *result = cblas_sdot(n, x, incx, y, incy), snrm2)
SDFGC_CBLAS_TYPE(double, d, dger, *result = cblas_ddot(n, x, incx, y, incy), dnrm2)
SDFGC_CBLAS_TYPE(std::complex<float>, c, cgeru, cblas_cdotu_sub(n, x, incx, y, incy, result), scnrm2)
SDFGC_CBLAS_TYPE(std::complex<double>, z, zgeru, cblas_zdotu_sub(n, x, incx, y, incy, result), dznrm2)
#undef SDFGC_CBLAS_TYPE

class BlasLibrary {
public:
    /// A small workspace, so that recorded calls that use it at the same time are detected.
    bool open(size_t &workspace) { return workspace = 256, true; }
    void lend(void *memory, size_t bytes) { workspace_ = {memory, bytes, true}; }

    template <class T>
    bool gemm(Stream stream, Op a, Op b, int64_t m, int64_t n, int64_t k, T alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
              T beta, T *C, int64_t ldc) {
        return gemmStridedBatched(stream, a, b, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);
    }
    template <class T>
    bool gemmStridedBatched(Stream stream, Op a, Op b, int64_t m, int64_t n, int64_t k, T alpha, const T *A, int64_t lda,
                            int64_t strideA, const T *B, int64_t ldb, int64_t strideB, T beta, T *C, int64_t ldc, int64_t strideC,
                            int64_t batch) {
        return queue("gemm", stream,
                     {batched(matrix(A, a, m, k, lda), A, strideA, batch), batched(matrix(B, b, k, n, ldb), B, strideB, batch),
                      batched(matrix(C, Op::None, m, n, ldc), C, strideC, batch)},
                     {m, n, k, lda, ldb, ldc}, [=] {
                         for (int64_t i = 0; i < batch; ++i)
                             Cblas<T>::gemm(cblasOp(a), cblasOp(b), m, n, k, cblasScalar(alpha), A + i * strideA, lda,
                                            B + i * strideB, ldb, cblasScalar(beta), C + i * strideC, ldc);
                     });
    }
    template <class T>
    bool gemv(Stream stream, Op op, int64_t m, int64_t n, T alpha, const T *A, int64_t lda, const T *x, int64_t incx, T beta, T *y,
              int64_t incy) {
        return queue(
            "gemv", stream,
            {matrix(A, Op::None, m, n, lda), rangeOf(x, op == Op::None ? n : m, incx), rangeOf(y, op == Op::None ? m : n, incy)},
            {m, n, lda, incx, incy},
            [=] { Cblas<T>::gemv(cblasOp(op), m, n, cblasScalar(alpha), A, lda, x, incx, cblasScalar(beta), y, incy); });
    }
    template <class T>
    bool ger(Stream stream, int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda) {
        return queue("ger", stream, {rangeOf(x, m, incx), rangeOf(y, n, incy), matrix(A, Op::None, m, n, lda)},
                     {m, n, lda, incx, incy}, [=] { Cblas<T>::ger(m, n, cblasScalar(alpha), x, incx, y, incy, A, lda); });
    }
    template <class T>
    bool geam(Stream stream, Op a, Op b, int64_t m, int64_t n, T alpha, const T *A, int64_t lda, T beta, const T *B, int64_t ldb,
              T *C, int64_t ldc) {
        return queue("geam", stream,
                     {alpha == T(0) ? rangeFrom(A, 0) : matrix(A, a, m, n, lda),
                      beta == T(0) ? rangeFrom(B, 0) : matrix(B, b, m, n, ldb), matrix(C, Op::None, m, n, ldc)},
                     {m, n, lda, ldb, ldc}, [=] {
                         // A matrix with a factor of zero is not read, as in the device libraries.
                         const auto part = [](Op op, T factor, const T *M, int64_t ld, int64_t i, int64_t j) {
                             if (factor == T(0))
                                 return T(0);
                             const T value = op == Op::None ? M[j * ld + i] : M[i * ld + j];
                             return factor * (op == Op::ConjugateTranspose ? conjugated(value) : value);
                         };
                         for (int64_t j = 0; j < n; ++j)
                             for (int64_t i = 0; i < m; ++i)
                                 C[j * ldc + i] = part(a, alpha, A, lda, i, j) + part(b, beta, B, ldb, i, j);
                     });
    }
    template <class T>
    bool trsm(Stream stream, Side side, Triangle triangle, Op a, Diagonal diagonal, int64_t m, int64_t n, T alpha, const T *A,
              int64_t lda, T *B, int64_t ldb) {
        const int64_t order = side == Side::Left ? m : n;
        return queue(
            "trsm", stream, {matrix(A, Op::None, order, order, lda), matrix(B, Op::None, m, n, ldb)}, {m, n, lda, ldb}, [=] {
                Cblas<T>::trsm(side == Side::Left ? CblasLeft : CblasRight, triangle == Triangle::Lower ? CblasLower : CblasUpper,
                               cblasOp(a), diagonal == Diagonal::One ? CblasUnit : CblasNonUnit, m, n, cblasScalar(alpha), A, lda,
                               B, ldb);
            });
    }
    template <class T> bool dot(Stream stream, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result) {
        return queue("dot", stream, {rangeOf(x, n, incx), rangeOf(y, n, incy), rangeOf(result, 1, 1)}, {n, incx, incy},
                     [=] { Cblas<T>::dot(result, n, x, incx, y, incy); });
    }
    template <class T> bool axpy(Stream stream, int64_t n, T alpha, const T *x, int64_t incx, T *y, int64_t incy) {
        return queue("axpy", stream, {rangeOf(x, n, incx), rangeOf(y, n, incy)}, {n, incx, incy},
                     [=] { Cblas<T>::axpy(n, cblasScalar(alpha), x, incx, y, incy); });
    }
    template <class T> bool scal(Stream stream, int64_t n, T alpha, T *x, int64_t incx) {
        return queue("scal", stream, {rangeOf(x, n, incx)}, {n, incx}, [=] { Cblas<T>::scal(n, cblasScalar(alpha), x, incx); });
    }
    template <class T> bool nrm2(Stream stream, int64_t n, const T *x, int64_t incx, RealOf<T> *result) {
        return queue("nrm2", stream, {rangeOf(x, n, incx), rangeOf(result, 1, 1)}, {n, incx},
                     [=] { *result = Cblas<T>::nrm2(n, x, incx); });
    }

private:
    static float conjugated(float value) { return value; }
    static double conjugated(double value) { return value; }
    template <class T> static std::complex<T> conjugated(const std::complex<T> &value) { return std::conj(value); }

    template <class Body>
    bool queue(const char *name, Stream stream, std::initializer_list<emulate::MemoryRange> memory,
               std::initializer_list<int64_t> sizes, const Body &body) const {
        return queueCall(name, stream, memory, sizes, body, workspace_);
    }

    /// The memory of M that op(M) with this many rows and columns uses.
    template <class T> static emulate::MemoryRange matrix(T *M, Op op, int64_t rows, int64_t columns, int64_t ld) {
        return op == Op::None ? rangeOfMatrix(M, rows, columns, ld) : rangeOfMatrix(M, columns, rows, ld);
    }
    template <class T> static emulate::MemoryRange batched(emulate::MemoryRange one, const T *, int64_t stride, int64_t batch) {
        if (one.bytes != 0)
            one.bytes += static_cast<size_t>((batch - 1) * stride) * sizeof(T);
        return one;
    }

    emulate::MemoryRange workspace_ = {nullptr, 0, true};
};

} // namespace sdfgc::gpu::detail
