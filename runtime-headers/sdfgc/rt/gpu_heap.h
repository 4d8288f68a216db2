// Arrays of a thread whose size only the thread knows, allocated from the device's heap.
//
// Rules: for kernels; functions and meaning as rt::Buffer. A device's heap is small (8 MiB unless the program's user calls
// cudaDeviceSetLimit) and slow: arrays whose size is known when the kernel starts are slices of device memory instead. If a thread
// gets no memory, the kernel aborts, and the next call of the runtime reports it.
#pragma once

#include "sdfgc/rt/gpu.h"
#include "sdfgc/rt/sizes.h"

#ifdef SDFGC_GPU_KERNELS

#include <cstdlib>

namespace sdfgc::gpu {

template <class T> class ThreadBuffer {
public:
    SDFGC_DEVICE ThreadBuffer() {}
    SDFGC_DEVICE explicit ThreadBuffer(int64_t count, int64_t startOffset = 0, int64_t = 0) { allocate(count, startOffset); }
    ThreadBuffer(const ThreadBuffer &) = delete;
    ThreadBuffer &operator=(const ThreadBuffer &) = delete;
    SDFGC_DEVICE ~ThreadBuffer() { release(); }

    SDFGC_DEVICE void allocate(int64_t count, int64_t startOffset = 0, int64_t = 0) {
        if (count != size_) {
            release();
            if (count > 0) {
                base_ = static_cast<T *>(::malloc(rt::detail::bytesOf<T>(count)));
                if (!base_)
                    detail::trap();
                size_ = count;
            }
        }
        data_ = base_ ? base_ + startOffset : nullptr;
    }
    SDFGC_DEVICE void reserve(int64_t count, int64_t startOffset = 0, int64_t = 0) {
        if (count > size_)
            allocate(count, startOffset);
        data_ = base_ ? base_ + startOffset : nullptr;
    }
    SDFGC_DEVICE void release() {
        if (base_)
            ::free(base_);
        base_ = data_ = nullptr;
        size_ = 0;
    }
    SDFGC_DEVICE void zero() {
        for (int64_t i = 0; i < size_; ++i)
            base_[i] = T();
    }
    SDFGC_DEVICE T *data() const { return data_; }
    SDFGC_DEVICE operator T *() const { return data_; }
    SDFGC_DEVICE T &operator[](int64_t index) const { return data_[index]; }
    SDFGC_DEVICE int64_t size() const { return size_; }

private:
    T *base_ = nullptr; // what malloc returned
    T *data_ = nullptr; // base_ plus the start offset
    int64_t size_ = 0;
};

} // namespace sdfgc::gpu

#endif
