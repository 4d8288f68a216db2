// gpu_warp.h's exchange of values by the vendor's exchange of words.
#pragma once

#include "sdfgc/rt/gpu_warp.h"

#include <type_traits>

namespace sdfgc::gpu {

template <class T> SDFGC_DEVICE inline T fromLane(const T &value, int lane) {
    static_assert(std::is_trivially_copyable<T>::value, "lanes exchange the value's bytes");
    const int source = lane < 0 || lane >= lanesOfWarp() ? laneOfWarp() : lane;
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (unsigned &word : words)
        word = detail::shuffleWord(detail::warpMask(), word, source);
    T result = value;
    __builtin_memcpy(static_cast<void *>(&result), words, sizeof result);
    return result;
}

} // namespace sdfgc::gpu
