// Conditions of graphs, which kernels set: compiled by nvcc and hipcc, never run. In a source of its own, as a module that sets
// conditions is one that older drivers cannot load.
#include "sdfgc/rt/gpu/graph.h"

using namespace sdfgc;

#ifdef SDFGC_GPU_CUDA
SDFGC_KERNEL void step(gpu::GraphConditional loop, int *i, int count) { gpu::graphSetConditional(loop, ++*i < count); }
#endif

gpu::Status loops(gpu::GraphHandle graph, gpu::GraphHandle &body, gpu::GraphNode &node) {
    gpu::GraphConditional loop = 0;
    gpu::Status status = gpu::graphConditionalHandleCreate(loop, graph, 0, true);
    for (const gpu::ConditionalKind kind : {gpu::ConditionalKind::If, gpu::ConditionalKind::While})
        if (status == gpu::success)
            status = gpu::graphAddConditionalNode(node, body, graph, nullptr, 0, kind, loop);
    return status;
}
