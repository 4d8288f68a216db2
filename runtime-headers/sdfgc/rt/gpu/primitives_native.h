// gpu_primitives.h's reduction by CUB or rocPRIM. Both are called twice: without memory they say how much they want to work in.
#pragma once

#include "sdfgc/rt/gpu/workspace.h"

#ifdef SDFGC_GPU_CUDA
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#else
#include <iostream> // rocPRIM 2 prints to std::cout without it
#include <rocprim/device/device_reduce.hpp>
#include <rocprim/device/device_segmented_reduce.hpp>
#endif

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

#ifdef SDFGC_GPU_CUDA
// What the library counts with. It took sizes of 64 bits for rows first, then for their number.
using PrimitiveSize = std::conditional_t<CUB_VERSION >= 200200, int64_t, int>;
using PrimitiveCount = std::conditional_t<CUB_VERSION >= 200800, int64_t, int>;

template <class Op, class T> bool reduceOne(void *space, size_t &bytes, Stream stream, const T *in, int64_t size, T *out) {
    return cub::DeviceReduce::Reduce(space, bytes, in, out, static_cast<PrimitiveSize>(size), Op(), Neutral<Op, T>::value(),
                                     stream) == cudaSuccess;
}
template <class Op, class T>
bool reduceEach(void *space, size_t &bytes, Stream stream, const T *in, int64_t rows, int64_t size, T *out) {
    return cub::DeviceSegmentedReduce::Reduce(space, bytes, in, out, static_cast<PrimitiveCount>(rows), RowBegin{size, 0},
                                              RowBegin{size, 1}, Op(), Neutral<Op, T>::value(), stream) == cudaSuccess;
}
#else
using PrimitiveSize = int64_t;
using PrimitiveCount = unsigned;

template <class Op, class T> bool reduceOne(void *space, size_t &bytes, Stream stream, const T *in, int64_t size, T *out) {
    return rocprim::reduce(space, bytes, in, out, Neutral<Op, T>::value(), static_cast<size_t>(size), Op(), stream) == hipSuccess;
}
template <class Op, class T>
bool reduceEach(void *space, size_t &bytes, Stream stream, const T *in, int64_t rows, int64_t size, T *out) {
    return rocprim::segmented_reduce(space, bytes, in, out, static_cast<unsigned>(rows), RowBegin{size, 0}, RowBegin{size, 1}, Op(),
                                     Neutral<Op, T>::value(), stream) == hipSuccess;
}
#endif

template <class Op, class T> bool reduceRows(Stream stream, const T *in, int64_t rows, int64_t size, T *out) {
    if (!allFit<PrimitiveSize>({rows * size}) || !allFit<PrimitiveCount>({rows}))
        return false;
    auto call = [&](void *space, size_t &bytes) {
        return rows == 1 ? reduceOne<Op>(space, bytes, stream, in, size, out)
                         : reduceEach<Op>(space, bytes, stream, in, rows, size, out);
    };
    size_t bytes = 0;
    if (!call(nullptr, bytes))
        return false;
    bytes = bytes > 0 ? bytes : 1; // memory, however little, makes it the second call
    const Workspace space(stream, bytes);
    return space && call(space.data(), bytes);
}

} // namespace sdfgc::gpu::detail
