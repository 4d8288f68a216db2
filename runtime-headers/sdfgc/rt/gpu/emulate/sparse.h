// gpu_sparse.h's operation by loops of the host, queued in the emulated streams.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/emulated_call.h"

namespace sdfgc::gpu::detail {

class SparseLibrary {
public:
    template <class T, class Index>
    bool multiply(Stream stream, int64_t m, int64_t n, int64_t k, int64_t count, T alpha, const Index *rows, const Index *columns,
                  const T *values, const T *B, int64_t rowB, int64_t columnB, T beta, T *C, int64_t rowC, int64_t columnC) {
        return queueCall("multiply", stream,
                         {rangeOf(rows, m + 1), rangeOf(columns, count), rangeOf(values, count), used(B, k, n, rowB, columnB),
                          used(C, m, n, rowC, columnC)},
                         {}, [=] {
                             for (int64_t i = 0; i < m; ++i)
                                 for (int64_t j = 0; j < n; ++j) {
                                     T sum = 0;
                                     for (int64_t p = rows[i]; p < rows[i + 1]; ++p)
                                         sum += values[p] * B[columns[p] * rowB + j * columnB];
                                     T &target = C[i * rowC + j * columnC];
                                     target = beta == T(0) ? alpha * sum : alpha * sum + beta * target;
                                 }
                         });
    }

private:
    template <class T> static emulate::MemoryRange used(T *M, int64_t rows, int64_t columns, int64_t row, int64_t column) {
        return rangeFrom(M, rows > 0 && columns > 0 ? (rows - 1) * row + (columns - 1) * column + 1 : 0);
    }
};

} // namespace sdfgc::gpu::detail
