// Communication between the lanes of a warp, with the same meaning on CUDA, HIP and the emulation, for warps of 32 and 64 lanes.
//
// Rules: all lanes of the warp that have not ended must call a function together; launch with Launch::barriers. A value may be any
// trivially copyable type: it is moved in words of 4 bytes. Masks of lanes have 64 bits on all devices.
#pragma once

#include "sdfgc/rt/gpu.h"

#ifdef SDFGC_GPU_KERNELS

namespace sdfgc::gpu {

/// Number of this thread in its block, x running fastest.
SDFGC_DEVICE inline int linearThread() {
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
SDFGC_DEVICE inline int laneOfWarp() { return linearThread() % SDFGC_WARP_SIZE; }
SDFGC_DEVICE inline int warpOfBlock() { return linearThread() / SDFGC_WARP_SIZE; }
/// The last warp may have fewer lanes; values are never read from lanes that do not exist.
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

} // namespace detail

} // namespace sdfgc::gpu

// fromLane(value, lane): the value of another lane; the caller's own if that lane does not exist.
#include SDFGC_GPU_HEADER(warp)

namespace sdfgc::gpu {

/// The lanes for which `predicate` holds.
SDFGC_DEVICE inline uint64_t ballot(bool predicate) { return detail::ballotOf(detail::warpMask(), predicate); }
SDFGC_DEVICE inline bool anyLane(bool predicate) { return ballot(predicate) != 0; }
SDFGC_DEVICE inline bool allLanes(bool predicate) { return ballot(!predicate) == 0; }

/// All lanes see the memory writes that any of them made before.
SDFGC_DEVICE inline void warpSync() { detail::syncLanes(detail::warpMask()); }

} // namespace sdfgc::gpu

#endif
