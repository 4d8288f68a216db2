// gpu_sparse.h's operation by cuSPARSE or hipSPARSE.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/handle.h"
#include "sdfgc/rt/gpu/workspace.h"

#include SDFGC_SPARSE_HEADER

namespace sdfgc::gpu::detail {

using SparseHandle =
    LibraryHandle<SDFGC_SPARSE_NAME(Handle_t), SDFGC_SPARSE_NAME(Create), SDFGC_SPARSE_NAME(Destroy), SDFGC_SPARSE_NAME(SetStream)>;
using SparseMatrix = SDFGC_SPARSE_NAME(SpMatDescr_t);
using DenseMatrix = SDFGC_SPARSE_NAME(DnMatDescr_t);
using DenseVector = SDFGC_SPARSE_NAME(DnVecDescr_t);
constexpr auto sparseProduct = SDFGC_SPARSE_PRODUCT;
constexpr auto byColumns = SDFGC_SPARSE_BY_COLUMNS;

template <class T> struct SparseValue;
template <> struct SparseValue<float> { static constexpr auto type = SDFGC_SPARSE_VALUE(R_32F); };
template <> struct SparseValue<double> { static constexpr auto type = SDFGC_SPARSE_VALUE(R_64F); };
template <> struct SparseValue<std::complex<float>> { static constexpr auto type = SDFGC_SPARSE_VALUE(C_32F); };
template <> struct SparseValue<std::complex<double>> { static constexpr auto type = SDFGC_SPARSE_VALUE(C_64F); };

class SparseLibrary {
public:
    template <class T, class Index>
    bool multiply(Stream stream, int64_t m, int64_t n, int64_t k, int64_t count, T alpha, const Index *rows, const Index *columns,
                  const T *values, const T *B, int64_t rowB, int64_t columnB, T beta, T *C, int64_t rowC, int64_t columnC) {
        static_assert(sizeof(Index) == 4 || sizeof(Index) == 8, "indices are int32 or int64");
        constexpr auto index = sizeof(Index) == 4 ? SDFGC_SPARSE_CONSTANT(INDEX_32I) : SDFGC_SPARSE_CONSTANT(INDEX_64I);
        SparseMatrix A = nullptr;
        if (!handle_.bind(stream) ||
            !ok(SDFGC_SPARSE_NAME(CreateCsr)(&A, m, k, count, anything(rows), anything(columns), anything(values), index, index,
                                             SDFGC_SPARSE_CONSTANT(INDEX_BASE_ZERO), SparseValue<T>::type)))
            return false;
        const bool done = n == 1 && rowB == 1 && rowC == 1
                              ? byVector(stream, m, k, alpha, A, B, beta, C)
                              : byMatrix(stream, m, n, k, alpha, A, B, rowB, columnB, beta, C, rowC, columnC);
        return ok(SDFGC_SPARSE_NAME(DestroySpMat)(A)) && done;
    }

private:
    template <class T> bool byVector(Stream stream, int64_t m, int64_t k, T alpha, SparseMatrix A, const T *B, T beta, T *C) {
        constexpr auto type = SparseValue<T>::type;
        constexpr auto plain = SDFGC_SPARSE_CONSTANT(OPERATION_NON_TRANSPOSE);
        constexpr auto how = SDFGC_SPARSE_CONSTANT(SPMV_CSR_ALG2); // bitwise identical in every run
        DenseVector x = nullptr, y = nullptr;
        size_t bytes = 0;
        bool done = ok(SDFGC_SPARSE_NAME(CreateDnVec)(&x, k, anything(B), type)) &&
                    ok(SDFGC_SPARSE_NAME(CreateDnVec)(&y, m, C, type)) &&
                    ok(SDFGC_SPARSE_NAME(SpMV_bufferSize)(handle_, plain, &alpha, A, x, &beta, y, type, how, &bytes));
        if (done) {
            const Workspace space(stream, bytes);
            done = space && ok(SDFGC_SPARSE_NAME(SpMV)(handle_, plain, &alpha, A, x, &beta, y, type, how, space.data()));
        }
        if (x)
            (void)SDFGC_SPARSE_NAME(DestroyDnVec)(x);
        if (y)
            (void)SDFGC_SPARSE_NAME(DestroyDnVec)(y);
        return done;
    }

    template <class T>
    bool byMatrix(Stream stream, int64_t m, int64_t n, int64_t k, T alpha, SparseMatrix A, const T *B, int64_t rowB,
                  int64_t columnB, T beta, T *C, int64_t rowC, int64_t columnC) {
        constexpr auto type = SparseValue<T>::type;
        constexpr auto plain = SDFGC_SPARSE_CONSTANT(OPERATION_NON_TRANSPOSE);
        DenseMatrix b = nullptr, c = nullptr;
        size_t bytes = 0;
        bool done =
            create(b, k, n, anything(B), rowB, columnB, type) && create(c, m, n, C, rowC, columnC, type) &&
            ok(SDFGC_SPARSE_NAME(SpMM_bufferSize)(handle_, plain, plain, &alpha, A, b, &beta, c, type, sparseProduct, &bytes));
        if (done) {
            const Workspace space(stream, bytes);
            done = space &&
                   ok(SDFGC_SPARSE_NAME(SpMM)(handle_, plain, plain, &alpha, A, b, &beta, c, type, sparseProduct, space.data()));
        }
        if (b)
            (void)SDFGC_SPARSE_NAME(DestroyDnMat)(b);
        if (c)
            (void)SDFGC_SPARSE_NAME(DestroyDnMat)(c);
        return done;
    }
    template <class Type>
    static bool create(DenseMatrix &out, int64_t rows, int64_t columns, void *data, int64_t row, int64_t column, Type type) {
        const bool rowMajor = column == 1 && (row != 1 || columns == 1); // a single column may be contiguous
        return ok(SDFGC_SPARSE_NAME(CreateDnMat)(&out, rows, columns,
                                                 rowMajor        ? row
                                                 : column < rows ? rows
                                                                 : column,
                                                 data, type, rowMajor ? SDFGC_SPARSE_CONSTANT(ORDER_ROW) : byColumns));
    }

    static bool ok(SparseHandle::Status status) { return SparseHandle::ok(status); }
    /// The libraries take even read-only arguments without const.
    template <class T> static void *anything(const T *p) { return const_cast<T *>(p); }

    SparseHandle handle_;
};

} // namespace sdfgc::gpu::detail
