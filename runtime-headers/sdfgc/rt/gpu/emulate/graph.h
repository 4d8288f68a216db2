// The dialect of graphs (graph.h) on the emulated GPU: functions of the host. gpu_emulate.cpp implements them;
// docs/user/emulation.md describes the checks.
//
// Rules: every function has CUDA's meaning in the most adverse interpretation. A launch is one operation of its stream, whose nodes
// run one after the other in an order that the edges allow and the seed decides. SDFGC_EMULATE_GRAPHS selects the emulated device:
// `full`; `flat`, which lacks loops and cannot disable nodes, like HIP; `none`, which lacks graphs; `fail-instantiate`, which never
// has memory for an executable graph; `fail-until-trimmed`, which has memory for one after each graphMemTrim().
#pragma once

#include "sdfgc/rt/gpu/graph.h"

#include <utility>

namespace sdfgc::gpu {

namespace emulate {
struct GraphState;
struct NodeState;
struct ExecState;
} // namespace emulate
using GraphHandle = emulate::GraphState *;
using GraphNode = emulate::NodeState *;
using GraphExec = emulate::ExecState *;
using GraphConditional = unsigned long long;

inline constexpr Status illegalState = Status(401), notSupported = Status(801), captureUnsupported = Status(900),
                        captureInvalidated = Status(901), graphExecUpdateFailure = Status(910);

Status graphSupport(GraphSupport &result);
Status graphCreate(GraphHandle &graph, const char *name = "");
Status graphDestroy(GraphHandle graph);
Status graphAddKernelNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, const KernelNodeParams &kernel);
Status graphAddMemcpyNode1D(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, void *to, const void *from,
                            size_t bytes, CopyKind kind);
Status graphAddMemcpyNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, const Copy3D &copy,
                          CopyKind kind);
Status graphAddMemsetNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, const MemsetNodeParams &fill);
Status graphAddEmptyNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count);
Status graphConditionalHandleCreate(GraphConditional &handle, GraphHandle graph, unsigned value, bool assign);
Status graphAddConditionalNode(GraphNode &node, GraphHandle &body, GraphHandle graph, const GraphNode *after, size_t count,
                               ConditionalKind kind, GraphConditional condition);
void graphSetConditional(GraphConditional condition, unsigned value);
Status graphAddChildGraphNode(GraphNode &node, GraphHandle graph, const GraphNode *after, size_t count, GraphHandle child);
Status graphAddDependencies(GraphHandle graph, const GraphNode *from, const GraphNode *to, size_t count);
Status graphInstantiate(GraphExec &exec, GraphHandle graph, GraphNode *failed = nullptr);
Status graphExecDestroy(GraphExec exec);
Status graphUpload(GraphExec exec, Stream stream);
Status graphLaunch(GraphExec exec, Stream stream);
Status graphExecKernelNodeSetParams(GraphExec exec, GraphNode node, const KernelNodeParams &kernel);
Status graphExecMemcpyNodeSetParams1D(GraphExec exec, GraphNode node, void *to, const void *from, size_t bytes, CopyKind kind);
Status graphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const MemsetNodeParams &fill);
Status graphNodeSetEnabled(GraphExec exec, GraphNode node, bool enabled);
Status graphMemTrim();
Status streamBeginCapture(Stream stream);
Status streamEndCapture(Stream stream, GraphHandle &graph, const char *name = "");

namespace emulate {

/// Reports an argument, address or size of `node` in the executable graph that differs from the one given here; true if all agree.
/// Called before every launch by the code that keeps executable graphs up to date.
bool graphExecHolds(GraphExec exec, GraphNode node, const KernelNodeParams &kernel);
bool graphExecHolds(GraphExec exec, GraphNode node, const Copy3D &copy);
bool graphExecHolds(GraphExec exec, GraphNode node, const MemsetNodeParams &fill);
/// The same for a list of nodes that differs from its graph in properties that cannot be updated, such as nodes and edges.
void reportStaleShape(GraphHandle graph);

/// For tests that a missing edge is detected: plans drop the edge with this number, counted from 1 over the edges added from now
/// on; 0 drops none. Returns the number of edges added since the previous call. Programs export it as
/// `sdfgc_emulation_leave_out_edge`.
long leaveOutEdge(long number);

/// For tests of programs whose caller captures: sets the answer of streamIsCapturing() from now on.
void pretendCapture(Stream stream, bool capturing);

/// A kernel with its arguments as bytes.
template <auto Kernel, class Signature = decltype(Kernel)> class StoredCall;
template <auto Kernel, class... P> class StoredCall<Kernel, void (*)(P...)> {
public:
    explicit StoredCall(const unsigned char *arguments) { __builtin_memcpy(bytes_, arguments, layout.bytes); }
    void operator()() const { call(std::index_sequence_for<P...>()); }

private:
    static constexpr auto layout = sdfgc::gpu::detail::ArgumentsOf<Kernel>::layout;

    template <size_t... I> void call(std::index_sequence<I...>) const {
        Kernel(*reinterpret_cast<const P *>(bytes_ + layout.parameters[I].offset)...);
    }
    alignas(16) unsigned char bytes_[layout.bytes + 1];
};

} // namespace emulate

namespace detail {

template <auto Kernel> emulate::KernelBody *newBody(const unsigned char *arguments) {
    using Call = emulate::StoredCall<Kernel>;
    return new (std::nothrow) emulate::BodyOf<Call>(Call(arguments));
}

} // namespace detail

} // namespace sdfgc::gpu
