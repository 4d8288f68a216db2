// gpu_blas.h's operations by cuBLAS or hipBLAS. Column-major.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/handle.h"
#include "sdfgc/rt/gpu/operation.h"

#include SDFGC_BLAS_HEADER

namespace sdfgc::gpu::detail {

using BlasHandle =
    LibraryHandle<SDFGC_BLAS_NAME(Handle_t), SDFGC_BLAS_NAME(Create), SDFGC_BLAS_NAME(Destroy), SDFGC_BLAS_NAME(SetStream)>;
using BlasOp = SDFGC_BLAS_NAME(Operation_t);
using BlasInt = SDFGC_BLAS_INT;

template <class T> struct RealOfType { using type = T; };
template <class T> struct RealOfType<std::complex<T>> { using type = T; };
template <class T> using RealOf = typename RealOfType<T>::type;

template <class T> struct NativeBlas;
#define SDFGC_BLAS_TYPE(T, N, p, geru, dotu, norm)                                                                                 \
    template <> struct NativeBlas<T> {                                                                                             \
        using Value = N;                                                                                                           \
        template <class... A> static auto gemm(const A &...a) { return SDFGC_BLAS_FUNCTION(p##gemm)(a...); }                       \
        template <class... A> static auto gemmStridedBatched(const A &...a) {                                                      \
            return SDFGC_BLAS_FUNCTION(p##gemmStridedBatched)(a...);                                                               \
        }                                                                                                                          \
        template <class... A> static auto trsm(const A &...a) { return SDFGC_BLAS_FUNCTION(p##trsm)(a...); }                       \
        template <class... A> static auto gemv(const A &...a) { return SDFGC_BLAS_FUNCTION(p##gemv)(a...); }                       \
        template <class... A> static auto ger(const A &...a) { return SDFGC_BLAS_FUNCTION(geru)(a...); }                           \
        template <class... A> static auto geam(const A &...a) { return SDFGC_BLAS_FUNCTION(p##geam)(a...); }                       \
        template <class... A> static auto dot(const A &...a) { return SDFGC_BLAS_FUNCTION(dotu)(a...); }                           \
        template <class... A> static auto axpy(const A &...a) { return SDFGC_BLAS_FUNCTION(p##axpy)(a...); }                       \
        template <class... A> static auto scal(const A &...a) { return SDFGC_BLAS_FUNCTION(p##scal)(a...); }                       \
        template <class... A> static auto nrm2(const A &...a) { return SDFGC_BLAS_FUNCTION(norm)(a...); }                          \
    };
SDFGC_BLAS_TYPE(float, float, S, Sger, Sdot, Snrm2)
SDFGC_BLAS_TYPE(double, double, D, Dger, Ddot, Dnrm2)
SDFGC_BLAS_TYPE(std::complex<float>, SDFGC_BLAS_COMPLEX64, C, Cgeru, Cdotu, Scnrm2)
SDFGC_BLAS_TYPE(std::complex<double>, SDFGC_BLAS_COMPLEX128, Z, Zgeru, Zdotu, Dznrm2)
#undef SDFGC_BLAS_TYPE

class BlasLibrary {
public:
    /// Makes the handle and returns the size of the workspace that recorded calls need.
    bool open(size_t &workspace) { return blasWorkspace(workspace) == success && handle_.open(); }
    void lend(void *memory, size_t bytes) {
        workspace_ = memory;
        workspaceBytes_ = bytes;
        if (!memory) // the previous stream may be destroyed
            (void)handle_.bind(nullptr);
    }

    template <class T>
    bool gemm(Stream stream, Op a, Op b, int64_t m, int64_t n, int64_t k, T alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
              T beta, T *C, int64_t ldc) {
        return allFit<BlasInt>({m, n, k, lda, ldb, ldc}) && bind(stream) &&
               ok(NativeBlas<T>::gemm(handle_, op(a), op(b), size(m), size(n), size(k), native(&alpha), native(A), size(lda),
                                      native(B), size(ldb), native(&beta), native(C), size(ldc)));
    }
    template <class T>
    bool gemmStridedBatched(Stream stream, Op a, Op b, int64_t m, int64_t n, int64_t k, T alpha, const T *A, int64_t lda,
                            int64_t strideA, const T *B, int64_t ldb, int64_t strideB, T beta, T *C, int64_t ldc, int64_t strideC,
                            int64_t batch) {
        return allFit<BlasInt>({m, n, k, lda, ldb, ldc, batch}) && bind(stream) &&
               ok(NativeBlas<T>::gemmStridedBatched(handle_, op(a), op(b), size(m), size(n), size(k), native(&alpha), native(A),
                                                    size(lda), strideA, native(B), size(ldb), strideB, native(&beta), native(C),
                                                    size(ldc), strideC, size(batch)));
    }
    template <class T>
    bool gemv(Stream stream, Op a, int64_t m, int64_t n, T alpha, const T *A, int64_t lda, const T *x, int64_t incx, T beta, T *y,
              int64_t incy) {
        return allFit<BlasInt>({m, n, lda, incx, incy}) && bind(stream) &&
               ok(NativeBlas<T>::gemv(handle_, op(a), size(m), size(n), native(&alpha), native(A), size(lda), native(x), size(incx),
                                      native(&beta), native(y), size(incy)));
    }
    template <class T>
    bool ger(Stream stream, int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda) {
        return allFit<BlasInt>({m, n, lda, incx, incy}) && bind(stream) &&
               ok(NativeBlas<T>::ger(handle_, size(m), size(n), native(&alpha), native(x), size(incx), native(y), size(incy),
                                     native(A), size(lda)));
    }
    template <class T>
    bool geam(Stream stream, Op a, Op b, int64_t m, int64_t n, T alpha, const T *A, int64_t lda, T beta, const T *B, int64_t ldb,
              T *C, int64_t ldc) {
        return allFit<BlasInt>({m, n, lda, ldb, ldc}) && bind(stream) &&
               ok(NativeBlas<T>::geam(handle_, op(a), op(b), size(m), size(n), native(&alpha), native(A), size(lda), native(&beta),
                                      native(B), size(ldb), native(C), size(ldc)));
    }
    template <class T>
    bool trsm(Stream stream, Side side, Triangle triangle, Op a, Diagonal diagonal, int64_t m, int64_t n, T alpha, const T *A,
              int64_t lda, T *B, int64_t ldb) {
        // hipBLAS takes the matrix without const in some versions.
        return allFit<BlasInt>({m, n, lda, ldb}) && bind(stream) &&
               ok(NativeBlas<T>::trsm(
                   handle_, side == Side::Left ? SDFGC_BLAS_CONSTANT(SIDE_LEFT) : SDFGC_BLAS_CONSTANT(SIDE_RIGHT),
                   triangle == Triangle::Lower ? SDFGC_BLAS_CONSTANT(FILL_MODE_LOWER) : SDFGC_BLAS_CONSTANT(FILL_MODE_UPPER), op(a),
                   diagonal == Diagonal::One ? SDFGC_BLAS_CONSTANT(DIAG_UNIT) : SDFGC_BLAS_CONSTANT(DIAG_NON_UNIT), size(m),
                   size(n), native(&alpha), native(const_cast<T *>(A)), size(lda), native(B), size(ldb)));
    }
    template <class T> bool dot(Stream stream, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *result) {
        const ResultOnDevice mode(*this, stream);
        return allFit<BlasInt>({n, incx, incy}) && mode.entered &&
               ok(NativeBlas<T>::dot(handle_, size(n), native(x), size(incx), native(y), size(incy), native(result)));
    }
    template <class T> bool axpy(Stream stream, int64_t n, T alpha, const T *x, int64_t incx, T *y, int64_t incy) {
        return allFit<BlasInt>({n, incx, incy}) && bind(stream) &&
               ok(NativeBlas<T>::axpy(handle_, size(n), native(&alpha), native(x), size(incx), native(y), size(incy)));
    }
    template <class T> bool scal(Stream stream, int64_t n, T alpha, T *x, int64_t incx) {
        return allFit<BlasInt>({n, incx}) && bind(stream) &&
               ok(NativeBlas<T>::scal(handle_, size(n), native(&alpha), native(x), size(incx)));
    }
    template <class T> bool nrm2(Stream stream, int64_t n, const T *x, int64_t incx, RealOf<T> *result) {
        const ResultOnDevice mode(*this, stream);
        return allFit<BlasInt>({n, incx}) && mode.entered &&
               ok(NativeBlas<T>::nrm2(handle_, size(n), native(x), size(incx), result));
    }

private:
    static bool ok(BlasHandle::Status status) { return BlasHandle::ok(status); }
    /// Changing the stream resets the library to its own workspace, until another one is set.
    bool bind(Stream stream) {
        return handle_.bind(stream) && (!workspace_ || ok(SDFGC_BLAS_WORKSPACE(handle_, workspace_, workspaceBytes_)));
    }
    static BlasOp op(Op o) {
        return o == Op::None        ? SDFGC_BLAS_CONSTANT(OP_N)
               : o == Op::Transpose ? SDFGC_BLAS_CONSTANT(OP_T)
                                    : SDFGC_BLAS_CONSTANT(OP_C);
    }
    static BlasInt size(int64_t n) { return static_cast<BlasInt>(n); }
    template <class T> static auto native(T *p) {
        using Value = typename NativeBlas<std::remove_const_t<T>>::Value;
        return reinterpret_cast<std::conditional_t<std::is_const<T>::value, const Value, Value> *>(p);
    }

    /// While this lives, results go to device memory.
    struct ResultOnDevice {
        BlasHandle &handle;
        bool entered;
        ResultOnDevice(BlasLibrary &library, Stream stream)
            : handle(library.handle_),
              entered(library.bind(stream) &&
                      ok(SDFGC_BLAS_NAME(SetPointerMode)(handle, SDFGC_BLAS_CONSTANT(POINTER_MODE_DEVICE)))) {}
        ~ResultOnDevice() {
            if (entered)
                (void)SDFGC_BLAS_NAME(SetPointerMode)(handle, SDFGC_BLAS_CONSTANT(POINTER_MODE_HOST));
        }
    };

    BlasHandle handle_;
    void *workspace_ = nullptr; // lent
    size_t workspaceBytes_ = 0;
};

} // namespace sdfgc::gpu::detail
