// gpu_grid.h's barrier on the emulated GPU.
#pragma once

#include "sdfgc/rt/gpu.h"

namespace sdfgc::gpu {

inline void gridSync(const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
    emulate::gridBarrier({function, file, line});
}

} // namespace sdfgc::gpu
