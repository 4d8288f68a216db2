// Library functions on the emulated GPU. Part of gpu_emulate.cpp.
#pragma once

#include "sdfgc/rt/gpu/emulated/copy.h"

namespace sdfgc::gpu::emulate {

inline Box boxOfRange(const MemoryRange &r) {
    return {static_cast<char *>(const_cast<void *>(r.begin)), r.bytes, r.bytes, r.bytes, 1, 1};
}

/// Checks the memory that the function uses; a failure is a sticky error.
inline bool hasMemory(Device &device, const LibraryFunction &call) {
    for (const MemoryRange &r : call.memory)
        if (!checkRange(device, boxOfRange(r), call.name.c_str(), false))
            return device.stick(illegalAddress), false;
    return true;
}

/// Runs a function after its memory has been checked.
inline void runCall(Device &device, const LibraryFunction &call) {
    std::vector<const volatile void *> pointers;
    for (const MemoryRange &r : call.memory)
        pointers.push_back(r.begin);
    const Launch how{.name = call.name.c_str()};
    KernelRun run{how, 1, 1, 0, *call.body, device.arena.origins};
    device.runKernel(run, pointers);
    ++device.counts.libraryCalls;
}

} // namespace sdfgc::gpu::emulate
