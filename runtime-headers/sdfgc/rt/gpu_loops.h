// The kernel that brings a flag to the condition of a graph's loop (gpu/graph_nodes.h). Only one source of a program includes it,
// and that source has no other kernels: drivers without support for conditions cannot load code that uses them, but must still load
// the program's other kernels.
#pragma once

#include "sdfgc/rt/gpu/graph_nodes.h"

namespace sdfgc::gpu {

#if defined(SDFGC_GPU_CONDITIONS) && SDFGC_GPU_CONDITIONS
namespace {
SDFGC_KERNEL void setCondition(GraphConditional condition, const bool *flag, int64_t *counters, int reset, bool isLoop) {
    graphSetConditional(condition, detail::countIteration(flag, counters, reset, isLoop));
}
} // namespace

const KernelTraits *conditionSetter() { return kernelTraits<setCondition>(); }
#endif

} // namespace sdfgc::gpu
