// gpu_solver.h's operations by the host's LAPACKE, queued in the emulated streams. Column-major.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/emulated_call.h"

#include <lapacke.h>

namespace sdfgc::gpu::detail {

template <class T> struct Lapacke;
// The variants without a NaN check: the device libraries do not check either.
#define SDFGC_LAPACKE_TYPE(T, N, p)                                                                                                \
    template <> struct Lapacke<T> {                                                                                                \
        using Value = N;                                                                                                           \
        template <class... A> static int getrf(A... a) { return LAPACKE_##p##getrf_work(LAPACK_COL_MAJOR, a...); }                 \
        template <class... A> static int getrs(A... a) { return LAPACKE_##p##getrs_work(LAPACK_COL_MAJOR, a...); }                 \
        template <class... A> static int potrf(A... a) { return LAPACKE_##p##potrf_work(LAPACK_COL_MAJOR, a...); }                 \
    };
SDFGC_LAPACKE_TYPE(float, float, s)
SDFGC_LAPACKE_TYPE(double, double, d)
SDFGC_LAPACKE_TYPE(std::complex<float>, lapack_complex_float, c)
SDFGC_LAPACKE_TYPE(std::complex<double>, lapack_complex_double, z)
#undef SDFGC_LAPACKE_TYPE

class SolverLibrary {
public:
    template <class T> bool getrf(Stream stream, int64_t n, T *A, int64_t lda, int *pivots, int *info) {
        return queueCall("getrf", stream, {rangeOfMatrix(A, n, n, lda), rangeOf(pivots, n), rangeOf(info, info ? 1 : 0)}, {n, lda},
                         [=] { report(info, Lapacke<T>::getrf(size(n), size(n), native(A), size(lda), pivots)); });
    }
    template <class T>
    bool getrs(Stream stream, Op op, int64_t n, int64_t count, const T *A, int64_t lda, const int *pivots, T *B, int64_t ldb,
               int *info) {
        const char form = op == Op::None ? 'N' : op == Op::Transpose ? 'T' : 'C';
        return queueCall(
            "getrs", stream,
            {rangeOfMatrix(A, n, n, lda), rangeOf(pivots, n), rangeOfMatrix(B, n, count, ldb), rangeOf(info, info ? 1 : 0)},
            {n, count, lda, ldb}, [=] {
                report(info, Lapacke<T>::getrs(form, size(n), size(count), native(A), size(lda), pivots, native(B), size(ldb)));
            });
    }
    template <class T> bool getrfBatched(Stream stream, int64_t n, T *A, int64_t lda, int64_t strideA, int *pivots, int64_t batch) {
        return queueCall("getrfBatched", stream, {rangeOfBatch(A, n, n, lda, strideA, batch), rangeOf(pivots, n * batch)},
                         {n, lda, batch}, [=] {
                             for (int64_t k = 0; k < batch; ++k)
                                 Lapacke<T>::getrf(size(n), size(n), native(A + k * strideA), size(lda), pivots + k * n);
                         });
    }
    template <class T>
    bool getrsBatched(Stream stream, Op op, int64_t n, int64_t count, const T *A, int64_t lda, int64_t strideA, const int *pivots,
                      T *B, int64_t ldb, int64_t strideB, int64_t batch) {
        const char form = op == Op::None ? 'N' : op == Op::Transpose ? 'T' : 'C';
        return queueCall("getrsBatched", stream,
                         {rangeOfBatch(A, n, n, lda, strideA, batch), rangeOf(pivots, n * batch),
                          rangeOfBatch(B, n, count, ldb, strideB, batch)},
                         {n, count, lda, ldb, batch}, [=] {
                             for (int64_t k = 0; k < batch; ++k)
                                 Lapacke<T>::getrs(form, size(n), size(count), native(A + k * strideA), size(lda), pivots + k * n,
                                                   native(B + k * strideB), size(ldb));
                         });
    }
    template <class T> bool potrf(Stream stream, Triangle triangle, int64_t n, T *A, int64_t lda, int *info) {
        const char form = triangle == Triangle::Lower ? 'L' : 'U';
        return queueCall("potrf", stream, {rangeOfMatrix(A, n, n, lda), rangeOf(info, info ? 1 : 0)}, {n, lda},
                         [=] { report(info, Lapacke<T>::potrf(form, size(n), native(A), size(lda))); });
    }

private:
    /// Column-major matrices that begin `stride` elements apart.
    template <class T>
    static emulate::MemoryRange rangeOfBatch(T *M, int64_t rows, int64_t columns, int64_t ld, int64_t stride, int64_t batch) {
        return rangeFrom(M, (batch - 1) * stride + (columns - 1) * ld + rows);
    }
    static lapack_int size(int64_t n) { return static_cast<lapack_int>(n); }
    static void report(int *info, int result) {
        if (info)
            *info = result;
    }
    template <class T> static auto native(T *p) {
        using Value = typename Lapacke<std::remove_const_t<T>>::Value;
        return reinterpret_cast<std::conditional_t<std::is_const<T>::value, const Value, Value> *>(p);
    }
};

} // namespace sdfgc::gpu::detail
