// gpu_warp.h's functions on the emulated GPU, with the source location of the call for reports.
#pragma once

#include "sdfgc/rt/gpu_warp.h"

namespace sdfgc::gpu {

template <class T>
T fromLane(const T &value, int lane, const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
           int line = __builtin_LINE()) {
    const int source = lane < 0 || lane >= lanesOfWarp() ? laneOfWarp() : lane;
    return emulate::shuffle(detail::warpMask(), value, source, {function, file, line});
}

namespace detail {

inline uint64_t ballotOf(uint64_t lanes, bool predicate, const char *function = __builtin_FUNCTION(),
                         const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return __ballot_sync(lanes, predicate, function, file, line);
}
inline void syncLanes(uint64_t lanes, const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
    __syncwarp(lanes, function, file, line);
}

} // namespace detail

} // namespace sdfgc::gpu
