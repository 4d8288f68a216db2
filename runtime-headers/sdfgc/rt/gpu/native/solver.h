// gpu_solver.h's operations by cuSOLVER or hipSOLVER; those of a batch by cuBLAS or hipBLAS. Column-major.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/handle.h"
#include "sdfgc/rt/gpu/pointers.h"
#include "sdfgc/rt/gpu/workspace.h"

#include SDFGC_SOLVER_HEADER
#include SDFGC_BLAS_HEADER

namespace sdfgc::gpu::detail {

using SolverHandle =
    LibraryHandle<SDFGC_SOLVER_NAME(Handle_t), SDFGC_SOLVER_NAME(Create), SDFGC_SOLVER_NAME(Destroy), SDFGC_SOLVER_NAME(SetStream)>;

using SolverBlasHandle =
    LibraryHandle<SDFGC_BLAS_NAME(Handle_t), SDFGC_BLAS_NAME(Create), SDFGC_BLAS_NAME(Destroy), SDFGC_BLAS_NAME(SetStream)>;

template <class T> struct NativeSolver;
#define SDFGC_SOLVER_TYPE(T, N, p)                                                                                                 \
    template <> struct NativeSolver<T> {                                                                                           \
        using Value = N;                                                                                                           \
        template <class... A> static auto getrfSize(const A &...a) { return SDFGC_SOLVER_NAME(p##getrf_bufferSize)(a...); }        \
        template <class... A> static auto getrf(const A &...a) { return SDFGC_SOLVER_NAME(p##getrf)(a...); }                       \
        template <class... A> static auto getrs(const A &...a) { return SDFGC_SOLVER_NAME(p##getrs)(a...); }                       \
        template <class... A> static auto potrfSize(const A &...a) { return SDFGC_SOLVER_NAME(p##potrf_bufferSize)(a...); }        \
        template <class... A> static auto potrf(const A &...a) { return SDFGC_SOLVER_NAME(p##potrf)(a...); }                       \
        template <class... A> static auto getrfBatched(const A &...a) { return SDFGC_BLAS_NAME(p##getrfBatched)(a...); }           \
        template <class... A> static auto getrsBatched(const A &...a) { return SDFGC_BLAS_NAME(p##getrsBatched)(a...); }           \
    };
SDFGC_SOLVER_TYPE(float, float, S)
SDFGC_SOLVER_TYPE(double, double, D)
SDFGC_SOLVER_TYPE(std::complex<float>, SDFGC_SOLVER_COMPLEX64, C)
SDFGC_SOLVER_TYPE(std::complex<double>, SDFGC_SOLVER_COMPLEX128, Z)
#undef SDFGC_SOLVER_TYPE

class SolverLibrary {
public:
    template <class T> bool getrf(Stream stream, int64_t n, T *A, int64_t lda, int *pivots, int *info) {
        int count = 0;
        if (!allFit<int>({n, lda}) || !handle_.bind(stream) ||
            !ok(NativeSolver<T>::getrfSize(handle_, size(n), size(n), native(A), size(lda), &count)))
            return false;
        const SolverSpace<T> space(stream, count, info);
        return space && ok(NativeSolver<T>::getrf(handle_, size(n), size(n), native(A), size(lda), native(space.values), pivots,
                                                  space.info));
    }
    template <class T>
    bool getrs(Stream stream, Op op, int64_t n, int64_t count, const T *A, int64_t lda, const int *pivots, T *B, int64_t ldb,
               int *info) {
        if (!allFit<int>({n, count, lda, ldb}) || !handle_.bind(stream))
            return false;
        const auto native_op = op == Op::None        ? SDFGC_SOLVER_CONSTANT(OP_N)
                               : op == Op::Transpose ? SDFGC_SOLVER_CONSTANT(OP_T)
                                                     : SDFGC_SOLVER_CONSTANT(OP_C);
        const SolverSpace<T> space(stream, 0, info);
        return space && ok(NativeSolver<T>::getrs(handle_, native_op, size(n), size(count), native(A), size(lda), pivots, native(B),
                                                  size(ldb), space.info));
    }
    template <class T> bool getrfBatched(Stream stream, int64_t n, T *A, int64_t lda, int64_t strideA, int *pivots, int64_t batch) {
        if (n > mostInBatch) {
            bool done = true;
            for (int64_t k = 0; k < batch && done; ++k)
                done = getrf(stream, n, A + k * strideA, lda, pivots + k * n, nullptr);
            return done;
        }
        if (!allFit<int>({n, lda, batch}) || !blas_.bind(stream))
            return false;
        auto *const matrices = pointers_.of(stream, native(A), strideA, batch);
        const Workspace info(stream, static_cast<size_t>(batch) * sizeof(int));
        return matrices && info &&
               BlasStatus::ok(NativeSolver<T>::getrfBatched(blas_, size(n), matrices, size(lda), pivots,
                                                            reinterpret_cast<int *>(info.data()), size(batch)));
    }
    template <class T>
    bool getrsBatched(Stream stream, Op op, int64_t n, int64_t count, const T *A, int64_t lda, int64_t strideA, const int *pivots,
                      T *B, int64_t ldb, int64_t strideB, int64_t batch) {
        if (n > mostInBatch) {
            bool done = true;
            for (int64_t k = 0; k < batch && done; ++k)
                done = getrs(stream, op, n, count, A + k * strideA, lda, pivots + k * n, B + k * strideB, ldb, nullptr);
            return done;
        }
        if (!allFit<int>({n, count, lda, ldb, batch}) || !blas_.bind(stream))
            return false;
        const auto native_op = op == Op::None        ? SDFGC_BLAS_CONSTANT(OP_N)
                               : op == Op::Transpose ? SDFGC_BLAS_CONSTANT(OP_T)
                                                     : SDFGC_BLAS_CONSTANT(OP_C);
        auto *const factors = pointers_.of(stream, native(const_cast<T *>(A)), strideA, batch);
        auto *const right = pointers_.of(stream, native(B), strideB, batch);
        int invalid = 0; // the number of an invalid argument, in host memory
        return factors && right &&
               BlasStatus::ok(NativeSolver<T>::getrsBatched(blas_, native_op, size(n), size(count), factors, size(lda), pivots,
                                                            right, size(ldb), &invalid, size(batch))) &&
               invalid == 0;
    }
    template <class T> bool potrf(Stream stream, Triangle triangle, int64_t n, T *A, int64_t lda, int *info) {
        const auto fill =
            triangle == Triangle::Lower ? SDFGC_SOLVER_CONSTANT(FILL_MODE_LOWER) : SDFGC_SOLVER_CONSTANT(FILL_MODE_UPPER);
        int count = 0;
        if (!allFit<int>({n, lda}) || !handle_.bind(stream) ||
            !ok(NativeSolver<T>::potrfSize(handle_, fill, size(n), native(A), size(lda), &count)))
            return false;
        const SolverSpace<T> space(stream, count, info);
        return space &&
               ok(NativeSolver<T>::potrf(handle_, fill, size(n), native(A), size(lda), native(space.values), count, space.info));
    }

private:
    /// Rows of the largest matrices for which functions of a batch are used: they are made for small ones, and a large one occupies
    /// the device by itself.
    static constexpr int64_t mostInBatch = 1024;

    /// The workspace of a call, and an info value if the caller does not request it.
    template <class T> struct SolverSpace {
        SolverSpace(Stream stream, int count, int *wanted)
            : memory(stream, infoBytes + static_cast<size_t>(count) * sizeof(T)),
              values(reinterpret_cast<T *>(memory.data() + infoBytes)),
              info(wanted ? wanted : reinterpret_cast<int *>(memory.data())) {}
        explicit operator bool() const { return static_cast<bool>(memory); }
        static constexpr size_t infoBytes = 256; // keeps the values aligned
        Workspace memory;
        T *values;
        int *info;
    };

    static bool ok(SolverHandle::Status status) { return SolverHandle::ok(status); }
    static int size(int64_t n) { return static_cast<int>(n); }
    template <class T> static auto native(T *p) {
        using Value = typename NativeSolver<std::remove_const_t<T>>::Value;
        return reinterpret_cast<std::conditional_t<std::is_const<T>::value, const Value, Value> *>(p);
    }

    using BlasStatus = SolverBlasHandle;

    SolverHandle handle_;
    SolverBlasHandle blas_;
    PointerArrays pointers_;
};

} // namespace sdfgc::gpu::detail
