// Chains of small kernels as one graph: kernel k adds to the array of its chain, k % width, and comes after the one before it there.
#include "by_hand.h"

#include "sdfgc/rt/gpu/graph.h"

#include <vector>

using namespace by_hand;

SDFGC_KERNEL void __launch_bounds__(256) addKernel(double *a, int64_t N, double by) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N)
        a[i] = a[i] + by;
}

namespace {

struct Graph {
    gpu::GraphHandle plan = nullptr;
    gpu::GraphExec exec = nullptr;
    gpu::Stream stream = nullptr;

    gpu::Status make(double *const *arrays, int64_t width, int64_t kernels, int64_t N, double last) {
        std::vector<gpu::GraphNode> nodes;
        gpu::Status status = gpu::streamCreate(stream);
        if (status == gpu::success)
            status = gpu::graphCreate(plan, "by hand");
        for (int64_t k = 0; k < kernels && status == gpu::success; ++k) {
            alignas(16) unsigned char arguments[3 * sizeof(double)];
            gpu::detail::ArgumentsOf<addKernel>::store(arguments, arrays[k % width], N, k + 1 == kernels ? last : 1.0);
            gpu::KernelNodeParams node;
            node.how.name = "add";
            node.kernel = gpu::kernelTraits<addKernel>();
            node.grid = gpu::blocks(N, 256);
            node.block = 256;
            node.arguments = arguments;
            gpu::GraphNode made;
            status = gpu::graphAddKernelNode(made, plan, k < width ? nullptr : &nodes[size_t(k - width)], k < width ? 0 : 1, node);
            nodes.push_back(made);
        }
        if (status == gpu::success)
            status = gpu::graphInstantiate(exec, plan);
        return status == gpu::success ? gpu::graphUpload(exec, stream) : status;
    }
    gpu::Status launch() const {
        const gpu::Status launched = gpu::graphLaunch(exec, stream);
        return launched == gpu::success ? gpu::streamSynchronize(stream) : launched;
    }
    ~Graph() {
        if (exec)
            (void)gpu::graphExecDestroy(exec);
        if (plan)
            (void)gpu::graphDestroy(plan);
        if (stream)
            (void)gpu::streamDestroy(stream);
    }
};

} // namespace

/// Makes the graph, which graph_free takes.
BY_HAND graph_make(void **made, double *const *arrays, int64_t width, int64_t kernels, int64_t N, double last) {
    auto *graph = new Graph;
    *made = graph;
    return static_cast<int>(graph->make(arrays, width, kernels, N, last));
}
/// Launches it and waits for its end.
BY_HAND graph_launch(void *made) { return static_cast<int>(static_cast<const Graph *>(made)->launch()); }
BY_HAND graph_free(void *made) {
    delete static_cast<Graph *>(made);
    return 0;
}
