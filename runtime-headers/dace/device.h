// The names of DaCe's GPU runtime for C++ tasklets and global code of GPU programs: gpuStream_t, gpuEvent_t, gpuError_t,
// gpuStreamSynchronize and relatives, DACE_GPU_CHECK, dace::warpReduce.
//
// Rule: source compatibility with DaCe's cudacommon.cuh where code in SDFG files relies on it. DACE_GPU_CHECK(call) throws
// rt::Error if the call fails, so the program's function returns the error; in kernels it checks nothing.
#pragma once

#include "dace/dace.h"
#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/gpu_reduce.h"

using gpuStream_t = sdfgc::gpu::Stream;
using gpuEvent_t = sdfgc::gpu::Event;
using gpuError_t = sdfgc::gpu::Status;

inline gpuError_t gpuGetLastError() { return sdfgc::gpu::getLastError(); }
inline const char *gpuGetErrorString(gpuError_t status) { return sdfgc::gpu::getErrorString(status); }
inline gpuError_t gpuDeviceSynchronize() { return sdfgc::gpu::deviceSynchronize(); }
inline gpuError_t gpuEventSynchronize(gpuEvent_t event) { return sdfgc::gpu::eventSynchronize(event); }
/// DaCe's programs may run on the null stream. Programs of sdfgc never do, so waiting for it waits for all queued work.
inline gpuError_t gpuStreamSynchronize(gpuStream_t stream) {
    return stream ? sdfgc::gpu::streamSynchronize(stream) : sdfgc::gpu::deviceSynchronize();
}

namespace dace {

/// `call` is the text of the call that returned `status`.
inline void checkGpu(sdfgc::gpu::Status status, const char *call) {
    if (status == sdfgc::gpu::success)
        return;
    char text[256];
    std::snprintf(text, sizeof text, "%s: %s", call, sdfgc::gpu::getErrorString(status));
    throw sdfgc::rt::Error(sdfgc::rt::DeviceError, text);
}

/// The same for a library whose calls return a code, 0 for success.
inline void checkLibrary(int status, const char *library) {
    if (status == 0)
        return;
    char text[96];
    std::snprintf(text, sizeof text, "%s failed with error code %d", library, status);
    throw sdfgc::rt::Error(sdfgc::rt::DeviceError, text);
}

#ifdef SDFGC_GPU_KERNELS

/// Combines the values of a warp's lanes, or of each `lanes` neighbours (a power of two); every lane gets the result.
template <ReductionType kind, class T> struct warpReduce {
    static SDFGC_DEVICE T reduce(T value) { return mini_reduce<SDFGC_WARP_SIZE>(value); }

    template <int lanes> static SDFGC_DEVICE T mini_reduce(T value) {
        for (int distance = 1; distance < lanes; distance *= 2) {
            const int partner = sdfgc::gpu::laneOfWarp() ^ distance;
            const T other = sdfgc::gpu::fromLane(value, partner);
            if (partner < sdfgc::gpu::lanesOfWarp())
                value = detail::ReductionStep<kind>::apply(value, other);
        }
        return value;
    }
};

namespace detail {
template <ReductionType kind> struct ReductionOperation {
    template <class T> SDFGC_DEVICE T operator()(const T &a, const T &b) const { return ReductionStep<kind>::apply(a, b); }
};
} // namespace detail

/// Combines the values of all threads of a block, which call it together; every thread gets the result.
template <ReductionType kind, class T> SDFGC_DEVICE T blockReduce(const T &value) {
    return sdfgc::gpu::blockReduceAll(value, detail::ReductionOperation<kind>());
}

#endif

} // namespace dace

#define DACE_GPU_CHECK(...) ::dace::checkGpu((__VA_ARGS__), #__VA_ARGS__)
