// Every function of the dialect of graphs, and a region: compiled by nvcc and hipcc, never run.
#include "sdfgc/rt/gpu_graph.h"

using namespace sdfgc;

SDFGC_KERNEL void step(const double *__restrict__ A, double *__restrict__ B, int64_t n, char c) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n)
        B[i] = A[i] * 2 + c;
}

struct Inputs {
    double *A, *B, *stage;
    int64_t N;
};

/// As gpu::Blas, for graphs.
struct Library {
    size_t workspaceBytes() { return 256; }
    void lend(void *, size_t) {}
    void scale(gpu::Stream, int64_t, double, double *) {}
};
struct Scale {
    template <class... A> void operator()(Library &library, gpu::Stream stream, const A &...arguments) const {
        library.scale(stream, arguments...);
    }
};

void region(gpu::Program &program, gpu::Graph &graph, Library &library, const Inputs &inputs) {
    graph.run(
        program, 0, inputs,
        [&library](gpu::GraphNodes &g, const Inputs &in) {
            const int n0 = g.fill<double>({}, in.B, in.N, 0.0);
            const int n1 = g.fill<double>({n0}, in.B, in.N, 1.5);
            const int n2 = g.fill<float>({}, reinterpret_cast<float *>(in.A), in.N, 1.5f);
            const int n3 = g.kernel<step>({.name = "step", .element = "state s"}, {n1, n2}, gpu::blocks(in.N, 256), 256, in.A, in.B,
                                          in.N, 'a');
            const int n4 = g.kernelShared<step>({.name = "step"}, {n3}, gpu::blocks(in.N, 256), 256, 1024, in.B, in.A, in.N, 'b');
            const int n5 = g.copyOnDevice({n4}, in.A, in.B, 4, {4, 8, 8}, {2, 64, 64});
            g.copyToDevice({n5}, in.A, in.stage, in.N);
            g.copyToHost({n5}, in.stage, in.B, in.N);
            g.call({.name = "scale"}, {n5}, library, Scale(), in.N, 2, in.B);
        },
        [&] { program.launch<step>(0, {.name = "step"}, gpu::blocks(inputs.N, 256), 256, inputs.A, inputs.B, inputs.N, 'a'); });
}

gpu::Status dialect(gpu::Stream stream, double *A, const unsigned char *arguments) {
    gpu::GraphSupport support{};
    gpu::GraphHandle graph = nullptr, child = nullptr;
    gpu::GraphExec exec = nullptr;
    gpu::GraphNode nodes[6] = {}, failed = nullptr;
    bool capturing = false;
    const gpu::KernelNodeParams kernel{{.name = "step", .cooperative = true}, gpu::kernelTraits<step>(), 1, 32, 0, arguments};
    const gpu::MemsetNodeParams fill{A, 0, 1, 4, 8, 1};
    for (const gpu::Status status :
         {gpu::graphSupport(support), gpu::graphCreate(graph, "g"), gpu::graphAddKernelNode(nodes[0], graph, nullptr, 0, kernel),
          gpu::graphAddMemcpyNode1D(nodes[1], graph, nodes, 1, A, A + 8, 64, gpu::CopyKind::DeviceToDevice),
          gpu::graphAddMemcpyNode(nodes[2], graph, nodes, 2, {A, 8, 64, A, 16, 128, 8, 8, 2}, gpu::CopyKind::DeviceToDevice),
          gpu::graphAddMemsetNode(nodes[3], graph, nodes, 3, fill), gpu::graphAddEmptyNode(nodes[4], graph, nodes, 4),
          gpu::streamBeginCapture(stream), gpu::streamEndCapture(stream, child, "child"),
          gpu::graphAddChildGraphNode(nodes[5], graph, nodes, 5, child),
          gpu::graphAddDependencies(graph, &nodes[0], &nodes[4], 1), gpu::graphInstantiate(exec, graph, &failed),
          gpu::graphMemTrim(), gpu::graphUpload(exec, stream), gpu::graphExecKernelNodeSetParams(exec, nodes[0], kernel),
          gpu::graphExecMemcpyNodeSetParams1D(exec, nodes[1], A, A + 8, 32, gpu::CopyKind::DeviceToDevice),
          gpu::graphExecMemsetNodeSetParams(exec, nodes[3], fill), gpu::graphNodeSetEnabled(exec, nodes[0], false),
          gpu::streamIsCapturing(stream, capturing), gpu::graphLaunch(exec, stream), gpu::graphExecDestroy(exec),
          gpu::graphDestroy(graph)})
        if (status != gpu::success && status != gpu::notSupported && status != gpu::graphExecUpdateFailure)
            return status;
    return gpu::success;
}
