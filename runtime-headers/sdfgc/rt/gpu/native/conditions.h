// gpu/graph_nodes.h's kernel for loops. Older drivers cannot load kernels that set conditions: it has a source of its own (gpu_loops.h).
#pragma once

#include "sdfgc/rt/gpu/graph_nodes.h"

namespace sdfgc::gpu {

#if SDFGC_GPU_CONDITIONS
const KernelTraits *conditionSetter(); // gpu_loops.h
#else
inline const KernelTraits *conditionSetter() { return nullptr; }
#endif

} // namespace sdfgc::gpu
