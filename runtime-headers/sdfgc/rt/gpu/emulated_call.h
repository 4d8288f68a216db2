// Shared by the device's emulated libraries: host functions queued in emulated streams, and the memory that they use.
#pragma once

#include "sdfgc/rt/gpu/operation.h"

#include <new>
#include <type_traits>
#include <vector>

namespace sdfgc::gpu::detail {

/// The memory from a pointer on: read if T is const, otherwise written and possibly read.
template <class T> emulate::MemoryRange rangeFrom(T *begin, int64_t count) {
    return {begin, static_cast<size_t>(count) * sizeof(T), !std::is_const<T>::value};
}

/// `count` elements, `increment` apart.
template <class T> emulate::MemoryRange rangeOf(T *x, int64_t count, int64_t increment = 1) {
    return rangeFrom(x, count > 0 ? (count - 1) * increment + 1 : 0);
}

/// A column-major matrix.
template <class T> emulate::MemoryRange rangeOfMatrix(T *M, int64_t rows, int64_t columns, int64_t ld) {
    return rangeFrom(M, rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0);
}

/// Queues `body`; false on failure, or if one of `sizes` does not fit the int that the libraries use for sizes. `workspace` is the
/// memory lent to the library.
template <class Body>
bool queueCall(const char *name, Stream stream, std::initializer_list<emulate::MemoryRange> memory,
               std::initializer_list<int64_t> sizes, const Body &body, emulate::MemoryRange workspace = {nullptr, 0, true}) {
    if (!allFit<int>(sizes))
        return false;
    std::vector<emulate::MemoryRange> all(memory);
    all.push_back(workspace);
    auto *owned = new (std::nothrow) emulate::BodyOf<Body>(body);
    return owned && emulate::enqueueCall(name, stream, all.data(), static_cast<int>(all.size()), owned) == success;
}

} // namespace sdfgc::gpu::detail
