// What the emulated libraries of the device share: functions of the host queued in emulated streams, and the memory that they use.
#pragma once

#include "sdfgc/rt/gpu/operation.h"

namespace sdfgc::gpu::detail {

/// `count` elements, `increment` apart.
template <class T> emulate::MemoryRange rangeOf(const T *x, int64_t count, int64_t increment = 1) {
    return {x, count > 0 ? static_cast<size_t>((count - 1) * increment + 1) * sizeof(T) : 0};
}

/// A column-major matrix.
template <class T> emulate::MemoryRange rangeOfMatrix(const T *M, int64_t rows, int64_t columns, int64_t ld) {
    return {M, rows > 0 && columns > 0 ? static_cast<size_t>((columns - 1) * ld + rows) * sizeof(T) : 0};
}

/// Queues `body`; false when it cannot, or when one of `sizes` does not fit the int that the libraries count with.
template <class Body>
bool queueCall(const char *name, Stream stream, std::initializer_list<emulate::MemoryRange> memory,
               std::initializer_list<int64_t> sizes, const Body &body) {
    return allFit<int>(sizes) && emulate::enqueueCall(name, stream, memory, body) == success;
}

} // namespace sdfgc::gpu::detail
