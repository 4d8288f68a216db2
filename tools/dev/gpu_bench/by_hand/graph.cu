// Chains of small kernels as one graph: kernel k adds to the array of its chain, k % width, and follows the previous kernel of that
// chain. Each kernel has separate code, as in a generated program, so that a device fetches the same amount of instructions.
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

/// The traits of kernel 0, 1, ...: those of the first one, except for the function.
template <int... K> std::vector<gpu::KernelTraits> allTraits(std::integer_sequence<int, K...>) {
    const void *const functions[] = {reinterpret_cast<const void *>(&addKernel<K>)...};
    std::vector<gpu::KernelTraits> traits(most, *gpu::kernelTraits<addKernel<0>>());
    for (int k = 0; k < most; ++k)
        traits[size_t(k)].function = functions[k];
    return traits;
}

struct Graph {
    gpu::GraphHandle plan = nullptr;
    gpu::GraphExec exec = nullptr;
    gpu::Stream stream = nullptr;
    const std::vector<gpu::KernelTraits> traits = allTraits(std::make_integer_sequence<int, most>());

    gpu::Status make(double *const *arrays, int64_t width, int64_t kernels, int64_t N, double last) {
        std::vector<gpu::GraphNode> nodes;
        gpu::Status status = gpu::streamCreate(stream);
        if (status == gpu::success)
            status = gpu::graphCreate(plan, "by hand");
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

/// Creates the graph; graph_free releases it.
BY_HAND graph_make(void **made, double *const *arrays, int64_t width, int64_t kernels, int64_t N, double last) {
    if (kernels > most)
        return static_cast<int>(gpu::invalidValue);
    auto *graph = new Graph;
    *made = graph;
    return static_cast<int>(graph->make(arrays, width, kernels, N, last));
}
/// Launches it `launches` times and waits after each one; stores the `seconds` that each launch took.
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
