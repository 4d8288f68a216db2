// The kernel that sets conditions of loops (gpu/graph_nodes.h). It is in a separate source, with gpu_loops.h, because older drivers
// cannot load it.
#pragma once

#include "sdfgc/rt/gpu/graph_nodes.h"

namespace sdfgc::gpu {

#if SDFGC_GPU_CONDITIONS
const KernelTraits *conditionSetter(); // gpu_loops.h
#else
inline const KernelTraits *conditionSetter() { return nullptr; }
#endif

} // namespace sdfgc::gpu
