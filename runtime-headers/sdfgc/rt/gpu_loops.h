// The kernel that brings a flag to the condition of a graph's loop (gpu/graph_nodes.h). One source of a program includes it, which has no
// other kernel: drivers that do not know conditions cannot load what calls them, and the program's other kernels must load there.
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
