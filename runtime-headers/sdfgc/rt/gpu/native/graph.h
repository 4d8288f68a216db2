// Graphs of CUDA and HIP. cuda.h and hip.h define the functions that differ; graph.h documents all of them.
//
// Rule: the vendors' structures differ in the order of their members, so members are always named.
#pragma once

#include "sdfgc/rt/gpu/graph.h"

namespace sdfgc::gpu {

inline constexpr Status graphExecUpdateFailure = SDFGC_GPU_NAME(ErrorGraphExecUpdateFailure);

namespace detail {

/// `use(parameters)` with a kernel's node in the vendor's form.
template <class Use> Status withKernelParams(const KernelNodeParams &kernel, const Use &use) {
    constexpr int most = 256;
    if (kernel.kernel->count > most)
        return invalidValue;
    void *pointers[most + 1];
    for (int i = 0; i < kernel.kernel->count; ++i)
        pointers[i] = const_cast<unsigned char *>(kernel.arguments + kernel.kernel->parameters[i].offset);
    SDFGC_GPU_NAME(KernelNodeParams) parameters = {};
    parameters.func = const_cast<void *>(kernel.kernel->function);
    parameters.gridDim = nativeDim(kernel.grid);
    parameters.blockDim = nativeDim(kernel.block);
    parameters.sharedMemBytes = static_cast<unsigned>(kernel.shared);
    parameters.kernelParams = pointers;
    return use(parameters);
}

inline SDFGC_GPU_NAME(MemsetParams) nativeFill(const MemsetNodeParams &fill) {
    SDFGC_GPU_NAME(MemsetParams) parameters = {};
    parameters.dst = fill.to;
    parameters.pitch = fill.pitch;
    parameters.value = fill.value;
    parameters.elementSize = fill.elementSize;
    parameters.width = fill.width;
    parameters.height = fill.height;
    return parameters;
}

} // namespace detail

inline Status graphCreate(GraphHandle &graph, const char * = "") { return SDFGC_GPU_NAME(GraphCreate)(&graph, 0); }
inline Status graphDestroy(GraphHandle graph) { return SDFGC_GPU_NAME(GraphDestroy)(graph); }

inline Status graphAddKernelNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count,
                                 const KernelNodeParams &kernel) {
    return detail::withKernelParams(kernel, [&](const auto &parameters) {
        Status status = SDFGC_GPU_NAME(GraphAddKernelNode)(&node, graph, after, count, &parameters);
        if (status == success && kernel.how.cooperative) {
            SDFGC_GPU_NAME(KernelNodeAttrValue) value = {};
            value.cooperative = 1;
            status = SDFGC_GPU_NAME(GraphKernelNodeSetAttribute)(node, SDFGC_GPU_NAME(KernelNodeAttributeCooperative), &value);
        }
        return status;
    });
}
inline Status graphAddMemcpyNode1D(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, void *to,
                                   const void *from, size_t bytes, CopyKind kind) {
    return SDFGC_GPU_NAME(GraphAddMemcpyNode1D)(&node, graph, after, count, to, from, bytes, detail::copyKind(kind));
}
inline Status graphAddMemcpyNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, const Copy3D &copy,
                                 CopyKind kind) {
    if (!detail::canCopy3D(copy))
        return invalidValue;
    const auto parameters = detail::nativeCopy3D(copy, kind);
    return SDFGC_GPU_NAME(GraphAddMemcpyNode)(&node, graph, after, count, &parameters);
}
inline Status graphAddMemsetNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count,
                                 const MemsetNodeParams &fill) {
    const auto parameters = detail::nativeFill(fill);
    return SDFGC_GPU_NAME(GraphAddMemsetNode)(&node, graph, after, count, &parameters);
}
inline Status graphAddEmptyNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count) {
    return SDFGC_GPU_NAME(GraphAddEmptyNode)(&node, graph, after, count);
}
#if !SDFGC_GPU_CONDITIONS
inline Status graphConditionalHandleCreate(GraphConditional &, GraphHandle, unsigned, bool) { return notSupported; }
inline Status graphAddConditionalNode(GraphNode &, GraphHandle &, GraphHandle, const GraphNode *, size_t, ConditionalKind,
                                      GraphConditional) {
    return notSupported;
}
#endif

inline Status graphAddChildGraphNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, GraphHandle child) {
    size_t nodes = 0;
    const Status status = SDFGC_GPU_NAME(GraphGetNodes)(child, nullptr, &nodes);
    if (status != success)
        return status;
    return nodes == 0 ? graphAddEmptyNode(node, graph, after, count)
                      : SDFGC_GPU_NAME(GraphAddChildGraphNode)(&node, graph, after, count, child);
}
inline Status graphExecDestroy(GraphExec exec) { return SDFGC_GPU_NAME(GraphExecDestroy)(exec); }
inline Status graphLaunch(GraphExec exec, Stream stream) { return SDFGC_GPU_NAME(GraphLaunch)(exec, stream); }
inline Status graphExecKernelNodeSetParams(GraphExec exec, GraphNode node, const KernelNodeParams &kernel) {
    return detail::withKernelParams(
        kernel, [&](const auto &parameters) { return SDFGC_GPU_NAME(GraphExecKernelNodeSetParams)(exec, node, &parameters); });
}
inline Status graphExecMemcpyNodeSetParams1D(GraphExec exec, GraphNode node, void *to, const void *from, size_t bytes,
                                             CopyKind kind) {
    return SDFGC_GPU_NAME(GraphExecMemcpyNodeSetParams1D)(exec, node, to, from, bytes, detail::copyKind(kind));
}
inline Status graphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const MemsetNodeParams &fill) {
    const auto parameters = detail::nativeFill(fill);
    return SDFGC_GPU_NAME(GraphExecMemsetNodeSetParams)(exec, node, &parameters);
}
/// Relaxed: a library may load kernels at their first use, which the other modes forbid.
inline Status streamBeginCapture(Stream stream) {
    return SDFGC_GPU_NAME(StreamBeginCapture)(stream, SDFGC_GPU_NAME(StreamCaptureModeRelaxed));
}
inline Status streamEndCapture(Stream stream, GraphHandle &graph, const char * = "") {
    graph = nullptr;
    return SDFGC_GPU_NAME(StreamEndCapture)(stream, &graph);
}

} // namespace sdfgc::gpu
