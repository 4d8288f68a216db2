// Arrays of pointers in device memory, for library functions that take the matrices of a batch by their addresses.
#pragma once

#include "sdfgc/rt/gpu.h"

#include <vector>

namespace sdfgc::gpu::detail {

/// Keeps the arrays that were used last: buffers stay where they are from call to call, so their addresses are copied once.
class PointerArrays {
public:
    PointerArrays() noexcept = default;
    PointerArrays(const PointerArrays &) = delete;
    PointerArrays &operator=(const PointerArrays &) = delete;
    ~PointerArrays() {
        for (const Known &k : known_)
            (void)free(k.array);
    }

    /// `count` pointers, the first to `first` and each `stride` elements after the one before; null on failure. Operations in any
    /// stream may use the array if they are queued before another array is requested, or the one after it.
    template <class T> T **of(Stream stream, T *first, int64_t stride, int64_t count) {
        const int64_t distance = stride * static_cast<int64_t>(sizeof(T));
        for (auto k = known_.begin(); k != known_.end(); ++k)
            if (k->first == first && k->distance == distance && k->count >= count) {
                const Known used = *k;
                known_.erase(k);
                known_.push_back(used);
                return reinterpret_cast<T **>(used.array);
            }
        std::vector<T *> pointers(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i)
            pointers[static_cast<size_t>(i)] = first + i * stride;
        const size_t bytes = pointers.size() * sizeof(T *);
        char *array = nullptr;
        if (malloc(&array, bytes, "pointers") != success)
            return nullptr;
        // Other streams may use the array, and the pointers leave the scope: wait for the copy.
        if (memcpyAsync(array, pointers.data(), bytes, CopyKind::HostToDevice, stream) != success ||
            streamSynchronize(stream) != success) {
            (void)free(array);
            return nullptr;
        }
        if (known_.size() == most) { // free waits for the operations that use it
            (void)free(known_.front().array);
            known_.erase(known_.begin());
        }
        known_.push_back({first, distance, count, array});
        return reinterpret_cast<T **>(array);
    }

private:
    static constexpr size_t most = 16;
    struct Known {
        const void *first;
        int64_t distance; // in bytes
        int64_t count;
        char *array;
    };
    std::vector<Known> known_; // the one that was used last at the end
};

} // namespace sdfgc::gpu::detail
