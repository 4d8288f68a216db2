// gpu/graph_nodes.h's kernel for loops on the emulated GPU.
#pragma once

#include "sdfgc/rt/gpu/graph_nodes.h"

namespace sdfgc::gpu {

namespace detail {
SDFGC_KERNEL inline void setCondition(GraphConditional condition, const bool *flag, int64_t *counters, int reset, bool isLoop) {
    graphSetConditional(condition, countIteration(flag, counters, reset, isLoop));
}
} // namespace detail
inline const KernelTraits *conditionSetter() { return kernelTraits<detail::setCondition>(); }

} // namespace sdfgc::gpu
