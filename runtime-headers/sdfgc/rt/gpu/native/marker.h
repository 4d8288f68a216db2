// Ranges of the vendors' profilers.
//
// Rules: NVTX is a header of the CUDA toolkit and needs no library: a profiler that is attached provides the functions. rocTX is a
// library, which is opened when the first range begins, so programs also run where it is missing.
#pragma once

#include "sdfgc/rt/gpu.h"

#ifdef SDFGC_GPU_CUDA
#include <nvtx3/nvToolsExt.h>
#else
#include <dlfcn.h>
#endif

namespace sdfgc::gpu::detail {

/// Times are the profiler's.
inline int64_t rangeTime() { return -1; }

#ifdef SDFGC_GPU_CUDA

inline bool pushRange(const char *name) {
    nvtxRangePushA(name);
    return true;
}
inline void popRange() { nvtxRangePop(); }

#else

/// The functions of rocTX; null where it is missing.
struct RocTx {
    int (*push)(const char *) = nullptr;
    int (*pop)() = nullptr;

    RocTx() noexcept {
        for (const char *file : {"libroctx64.so.4", "libroctx64.so", "librocprofiler-sdk-roctx.so"}) {
            void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
            if (!library)
                continue;
            push = reinterpret_cast<int (*)(const char *)>(dlsym(library, "roctxRangePushA"));
            pop = reinterpret_cast<int (*)()>(dlsym(library, "roctxRangePop"));
            if (push && pop)
                return;
            push = nullptr;
        }
    }
    static const RocTx &get() {
        static const RocTx functions;
        return functions;
    }
};

inline bool pushRange(const char *name) {
    if (!RocTx::get().push)
        return false;
    RocTx::get().push(name);
    return true;
}
inline void popRange() {
    if (RocTx::get().push)
        RocTx::get().pop();
}

#endif

} // namespace sdfgc::gpu::detail
