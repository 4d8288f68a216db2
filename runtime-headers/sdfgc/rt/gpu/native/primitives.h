// gpu_primitives.h's reduction by CUB or rocPRIM. Both are called twice: without memory they return the size of the workspace.
#pragma once

#include "sdfgc/rt/gpu/workspace.h"

#include <iostream> // rocPRIM 2 uses std::cout without including it
#include SDFGC_PRIMITIVES_HEADER
#include SDFGC_PRIMITIVES_ROWS_HEADER

namespace sdfgc::gpu::detail {

/// Where the rows begin: an iterator over 0, size, 2 size, ...
struct RowBegin {
    using value_type = int64_t;
    using reference = int64_t;
    using pointer = const int64_t *;
    using difference_type = int64_t;
    using iterator_category = std::random_access_iterator_tag;

    int64_t size, row;
    __host__ SDFGC_DEVICE int64_t operator*() const { return row * size; }
    __host__ SDFGC_DEVICE int64_t operator[](int64_t i) const { return (row + i) * size; }
    __host__ SDFGC_DEVICE RowBegin operator+(int64_t i) const { return {size, row + i}; }
    __host__ SDFGC_DEVICE RowBegin &operator+=(int64_t i) { return row += i, *this; }
    __host__ SDFGC_DEVICE RowBegin &operator++() { return ++row, *this; }
};

// The library's types for sizes.
using PrimitiveSize = SDFGC_PRIMITIVES_SIZE;
using PrimitiveCount = SDFGC_PRIMITIVES_COUNT;

template <class Op, class T> bool reduceRows(Stream stream, const T *in, int64_t rows, int64_t size, T *out) {
    if (!allFit<PrimitiveSize>({rows * size}) || !allFit<PrimitiveCount>({rows}))
        return false;
    const RowBegin begin{size, 0}, end{size, 1};
    auto call = [&](void *space, size_t &bytes) {
        const T first = Neutral<Op, T>::value();
        return (rows == 1 ? SDFGC_PRIMITIVES_REDUCE(space, bytes, in, out, static_cast<PrimitiveSize>(size), Op(), first, stream)
                          : SDFGC_PRIMITIVES_REDUCE_ROWS(space, bytes, in, out, static_cast<PrimitiveCount>(rows), begin, end, Op(),
                                                         first, stream)) == success;
    };
    size_t bytes = 0;
    if (!call(nullptr, bytes))
        return false;
    bytes = bytes > 0 ? bytes : 1; // a non-null workspace makes it the second call
    const Workspace space(stream, bytes);
    return space && call(space.data(), bytes);
}

} // namespace sdfgc::gpu::detail
