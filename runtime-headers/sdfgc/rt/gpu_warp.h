// What the lanes of a warp say to each other, with one meaning on CUDA, HIP and the emulation, for warps of 32 and 64 lanes.
//
// Rules: all lanes of the warp that have not ended must call a function together; launch with Launch::barriers. A value may be any
// trivially copyable type: it is moved in words of 4 bytes. Masks of lanes have 64 bits on all devices.
#pragma once

#include "sdfgc/rt/gpu.h"

#include <type_traits>

#if defined(SDFGC_GPU_EMULATE) || defined(__CUDACC__) || defined(__HIPCC__)

namespace sdfgc::gpu {

/// Number of this thread in its block, x running fastest.
SDFGC_DEVICE inline int linearThread() {
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
SDFGC_DEVICE inline int laneOfWarp() { return linearThread() % SDFGC_WARP_SIZE; }
SDFGC_DEVICE inline int warpOfBlock() { return linearThread() / SDFGC_WARP_SIZE; }
/// The last warp may have fewer lanes: those that do not exist are never taken from.
SDFGC_DEVICE inline int lanesOfWarp() {
    const int left = static_cast<int>(blockDim.x * blockDim.y * blockDim.z) - warpOfBlock() * SDFGC_WARP_SIZE;
    return left < SDFGC_WARP_SIZE ? left : SDFGC_WARP_SIZE;
}

namespace detail {

/// The lanes that exist.
SDFGC_DEVICE inline uint64_t warpMask() {
    const int lanes = lanesOfWarp();
    return lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
}

#ifdef SDFGC_GPU_CUDA
SDFGC_DEVICE inline unsigned shuffleWord(unsigned word, int lane) {
    return __shfl_sync(static_cast<unsigned>(warpMask()), word, lane);
}
#elif defined(SDFGC_GPU_HIP)
SDFGC_DEVICE inline unsigned shuffleWord(unsigned word, int lane) {
    return static_cast<unsigned>(__shfl(static_cast<int>(word), lane, SDFGC_WARP_SIZE));
}
#endif

} // namespace detail

/// The value of another lane; of the caller itself if that lane does not exist.
#ifdef SDFGC_GPU_EMULATE
template <class T>
T fromLane(const T &value, int lane, const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
           int line = __builtin_LINE()) {
    const int source = lane < 0 || lane >= lanesOfWarp() ? laneOfWarp() : lane;
    return emulate::shuffle(detail::warpMask(), value, source, {function, file, line});
}
#else
template <class T> SDFGC_DEVICE inline T fromLane(const T &value, int lane) {
    static_assert(std::is_trivially_copyable<T>::value, "lanes exchange the value's bytes");
    const int source = lane < 0 || lane >= lanesOfWarp() ? laneOfWarp() : lane;
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (unsigned &word : words)
        word = detail::shuffleWord(word, source);
    T result = value;
    __builtin_memcpy(static_cast<void *>(&result), words, sizeof result);
    return result;
}
#endif

/// The lanes for which `predicate` holds.
SDFGC_DEVICE inline uint64_t ballot(bool predicate) {
#ifdef SDFGC_GPU_HIP
    return __ballot(predicate);
#elif defined(SDFGC_GPU_CUDA)
    return __ballot_sync(static_cast<unsigned>(detail::warpMask()), predicate);
#else
    return __ballot_sync(detail::warpMask(), predicate);
#endif
}
SDFGC_DEVICE inline bool anyLane(bool predicate) { return ballot(predicate) != 0; }
SDFGC_DEVICE inline bool allLanes(bool predicate) { return ballot(!predicate) == 0; }

/// What the lanes wrote to memory before is seen by all of them after.
SDFGC_DEVICE inline void warpSync() {
#ifdef SDFGC_GPU_HIP
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#elif defined(SDFGC_GPU_CUDA)
    __syncwarp(static_cast<unsigned>(detail::warpMask()));
#else
    __syncwarp(detail::warpMask());
#endif
}

} // namespace sdfgc::gpu

#endif
