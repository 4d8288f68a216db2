// Shared by the hand-written kernels. They use the dialect of sdfgc's runtime (sdfgc/rt/gpu.h), so that nvcc, hipcc and, for the
// emulation, the host compiler accept the same text.
#pragma once

#include "sdfgc/rt/gpu.h"

/// A function that tools/dev/bench_gpu.py calls: with arrays in device memory, followed by sizes. Returns 0, or the device's error.
#define BY_HAND extern "C" __attribute__((visibility("default"))) int

namespace by_hand {

using namespace sdfgc;

inline constexpr bool withBarriers = true;

/// The status of a call that queued kernels on the default stream, once they are finished.
inline int finished(gpu::Status queued) {
    return static_cast<int>(queued == gpu::success ? gpu::streamSynchronize(nullptr) : queued);
}

/// Four numbers that a thread reads or writes at once.
struct alignas(16) Four {
    float at[4];
};

/// Queues operations on the default stream, up to the first one that fails.
struct Calls {
    gpu::Status status = gpu::success;

    template <auto kernel, class... A> void launch(const gpu::Launch &how, gpu::Dim3 grid, gpu::Dim3 block, const A &...arguments) {
        launchWith<kernel>(0, how, grid, block, arguments...);
    }
    template <auto kernel, class... A>
    void launchWith(size_t shared, const gpu::Launch &how, gpu::Dim3 grid, gpu::Dim3 block, const A &...arguments) {
        if (status == gpu::success)
            status = gpu::launch<kernel>(how, grid, block, shared, nullptr, arguments...);
    }
    void copy(void *to, const void *from, int64_t bytes) {
        if (status == gpu::success)
            status = gpu::memcpyAsync(to, from, static_cast<size_t>(bytes), gpu::CopyKind::DeviceToDevice, nullptr);
    }
    void clear(void *to, int64_t bytes) {
        if (status == gpu::success)
            status = gpu::memsetAsync(to, 0, static_cast<size_t>(bytes), nullptr);
    }
    int finish() const { return finished(status); }
};

/// Device memory for the kernels of one call, kept for the next call as a program keeps its memory; null if there is not enough.
template <class T> T *scratch(int64_t count) {
    static T *memory = nullptr;
    static int64_t size = 0;
    if (size < count) {
        (void)gpu::free(memory);
        memory = nullptr;
        size = gpu::malloc(&memory, static_cast<size_t>(count) * sizeof(T), "scratch") == gpu::success ? count : 0;
    }
    return size < count ? nullptr : memory;
}
inline constexpr int noMemory = static_cast<int>(gpu::outOfMemory), notSupported = static_cast<int>(gpu::invalidValue);

// Shuffles in groups of `width` lanes, at most 32, which warps of 64 lanes have as well.

/// The value of the lane whose number differs in `bits`.
template <class T> SDFGC_DEVICE inline T fromPeer(T value, int bits, int width) {
#if defined(SDFGC_GPU_HIP)
    return __shfl_xor(value, bits, width);
#else
    return __shfl_xor_sync(0xffffffff, value, bits, width);
#endif
}
/// The value of a lane of the group.
template <class T> SDFGC_DEVICE inline T fromLaneOf(T value, int lane, int width) {
#if defined(SDFGC_GPU_HIP)
    return __shfl(value, lane, width);
#else
    return __shfl_sync(0xffffffff, value, lane, width);
#endif
}
/// The value of the lane `by` before this one; the first `by` lanes get their own.
template <class T> SDFGC_DEVICE inline T fromLower(T value, unsigned by, int width) {
#if defined(SDFGC_GPU_HIP)
    return __shfl_up(value, by, width);
#else
    return __shfl_up_sync(0xffffffff, value, by, width);
#endif
}
template <int width, class T> SDFGC_DEVICE inline T sumOfLanes(T value) {
    for (int bits = width / 2; bits > 0; bits /= 2)
        value += fromPeer(value, bits, width);
    return value;
}
template <int width, class T> SDFGC_DEVICE inline T maxOfLanes(T value) {
    for (int bits = width / 2; bits > 0; bits /= 2) {
        const T other = fromPeer(value, bits, width);
        value = other > value ? other : value;
    }
    return value;
}

} // namespace by_hand
