// What the kernels by hand share. They are written in the dialect of sdfgc's runtime (sdfgc/rt/gpu.h), so that nvcc, hipcc and the
// host compiler, for the emulation, take the same text.
#pragma once

#include "sdfgc/rt/gpu.h"

/// A function that tools/dev/bench_gpu.py calls: with arrays in device memory, then sizes. Returns 0, or the device's error.
#define BY_HAND extern "C" __attribute__((visibility("default"))) int

namespace by_hand {

using namespace sdfgc;

inline constexpr bool withBarriers = true;

/// The status of a call that queued kernels on the default stream, when they are done.
inline int finished(gpu::Status queued) {
    return static_cast<int>(queued == gpu::success ? gpu::streamSynchronize(nullptr) : queued);
}

} // namespace by_hand
