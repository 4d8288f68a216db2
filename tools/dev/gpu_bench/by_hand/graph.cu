// Chains of small kernels as one graph: kernel k adds to the array of its chain, k % width, and comes after the one before it there. Each
// kernel has code of its own, as those of a program have: what a device fetches of instructions is the same.
#include "by_hand.h"

#include "sdfgc/rt/gpu/graph.h"

#include <chrono>
#include <utility>
#include <vector>

using namespace by_hand;

template <int K> SDFGC_KERNEL void __launch_bounds__(256) addKernel(double *a, int64_t N, double by) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N)
        a[i] = a[i] + by;
}

namespace {

#ifdef SDFGC_GPU_EMULATE
constexpr int most = 16;
#else
constexpr int most = 1000;
#endif

/// The first kernel's traits, with the function of kernel k.
template <int... K> gpu::KernelTraits traitsOf(int64_t k, std::integer_sequence<int, K...>) {
    static const void *const functions[] = {reinterpret_cast<const void *>(&addKernel<K>)...};
    gpu::KernelTraits traits = *gpu::kernelTraits<addKernel<0>>();
    traits.function = functions[k];
    return traits;
}

struct Graph {
    gpu::GraphHandle plan = nullptr;
    gpu::GraphExec exec = nullptr;
    gpu::Stream stream = nullptr;
    std::vector<gpu::KernelTraits> traits; // of the nodes, which have their addresses

    gpu::Status make(double *const *arrays, int64_t width, int64_t kernels, int64_t N, double last) {
        std::vector<gpu::GraphNode> nodes;
        gpu::Status status = gpu::streamCreate(stream);
        if (status == gpu::success)
            status = gpu::graphCreate(plan, "by hand");
        for (int64_t k = 0; k < kernels; ++k)
            traits.push_back(traitsOf(k, std::make_integer_sequence<int, most>()));
        for (int64_t k = 0; k < kernels && status == gpu::success; ++k) {
            alignas(16) unsigned char arguments[3 * sizeof(double)];
            gpu::detail::ArgumentsOf<addKernel<0>>::store(arguments, arrays[k % width], N, k + 1 == kernels ? last : 1.0);
            gpu::KernelNodeParams node;
            node.how.name = "add";
            node.kernel = &traits[size_t(k)];
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
    if (kernels > most)
        return static_cast<int>(gpu::invalidValue);
    auto *graph = new Graph;
    *made = graph;
    return static_cast<int>(graph->make(arrays, width, kernels, N, last));
}
/// Launches it so many times and waits for its end each time; how many `seconds` each launch took.
BY_HAND graph_launch(void *made, double *seconds, int64_t launches) {
    gpu::Status status = gpu::success;
    for (int64_t i = 0; i < launches && status == gpu::success; ++i) {
        const auto start = std::chrono::steady_clock::now();
        status = static_cast<const Graph *>(made)->launch();
        seconds[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return static_cast<int>(status);
}
BY_HAND graph_free(void *made) {
    delete static_cast<Graph *>(made);
    return 0;
}
