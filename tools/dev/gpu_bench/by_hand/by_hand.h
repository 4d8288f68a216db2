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

} // namespace by_hand
