// Shared by questions.cu and costs.cu: graphs built node by node, and numbers in device memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <tuple>
#include <vector>

namespace questions {

/// Errors are answers, so they do not end the program; calls that must succeed use `must`.
inline void must(cudaError_t status, const char *what) {
    if (status != cudaSuccess) {
        std::printf("    %s: %s\n", what, cudaGetErrorName(status));
        std::fflush(stdout);
        std::_Exit(1);
    }
}
#define MUST(call) must(call, #call)

inline void say(const char *format, ...) {
    std::va_list values;
    va_start(values, format);
    std::printf("    ");
    std::vprintf(format, values);
    std::printf("\n");
    va_end(values);
}

inline const char *name(cudaError_t status) { return status == cudaSuccess ? "accepted" : cudaGetErrorName(status); }

/// Median microseconds of a call.
inline double microseconds(int repeats, const std::function<void()> &call) {
    call();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        call();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return times[size_t(repeats / 2)];
}

static __global__ void addTo(int *to, int value) { *to += value; }
static __global__ void setCondition(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }
static __global__ void fill(int *to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
/// Counts down; the loop runs until 0.
static __global__ void countDown(int *left, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, --*left > 0); }
static __global__ void countDownFlag(int *left, bool *go) { *go = --*left > 0; }
static __global__ void bringFlag(cudaGraphConditionalHandle handle, const bool *go) { cudaGraphSetConditional(handle, *go); }
static __global__ void arm(int *left, int value, cudaGraphConditionalHandle handle) {
    *left = value;
    cudaGraphSetConditional(handle, value > 0);
}
static __global__ void nothing() {}

/// Numbers in device memory.
struct Ints {
    int *at = nullptr;
    explicit Ints(size_t count = 16) {
        MUST(cudaMalloc(&at, count * sizeof(int)));
        MUST(cudaMemset(at, 0, count * sizeof(int)));
    }
    ~Ints() { cudaFree(at); }
    int read(size_t i = 0) const {
        int value = -1;
        MUST(cudaMemcpy(&value, at + i, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }
    void write(int value, size_t i = 0) const { MUST(cudaMemcpy(at + i, &value, sizeof value, cudaMemcpyHostToDevice)); }
};

/// A graph under construction: each node follows the previous one.
struct Chain {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t last = nullptr;

    explicit Chain(cudaGraph_t body) : graph(body) {}
    Chain() { MUST(cudaGraphCreate(&graph, 0)); }

    template <class... Parameters, class... Values>
    cudaGraphNode_t kernel(void (*f)(Parameters...), unsigned blocks, unsigned threads, Values... values) {
        std::tuple<Parameters...> stored(static_cast<Parameters>(values)...);
        return std::apply(
            [&](auto &...each) {
                void *arguments[] = {&each..., nullptr};
                cudaKernelNodeParams node{};
                node.func = reinterpret_cast<void *>(f);
                node.gridDim = {blocks, 1, 1};
                node.blockDim = {threads, 1, 1};
                node.kernelParams = arguments;
                cudaGraphNode_t made;
                MUST(cudaGraphAddKernelNode(&made, graph, last ? &last : nullptr, last ? 1 : 0, &node));
                return last = made;
            },
            stored);
    }
    cudaGraphNode_t copy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
        cudaGraphNode_t made;
        MUST(cudaGraphAddMemcpyNode1D(&made, graph, last ? &last : nullptr, last ? 1 : 0, to, from, size, kind));
        return last = made;
    }
    cudaGraphNode_t set(int *to, unsigned value) {
        cudaMemsetParams node{to, 0, value, sizeof(int), 1, 1};
        cudaGraphNode_t made;
        MUST(cudaGraphAddMemsetNode(&made, graph, last ? &last : nullptr, last ? 1 : 0, &node));
        return last = made;
    }
    /// `to` also follows `from`, unless that is null.
    void join(cudaGraphNode_t from, cudaGraphNode_t to) const {
#if CUDART_VERSION >= 13000
        MUST(from ? cudaGraphAddDependencies(graph, &from, &to, nullptr, 1) : cudaSuccess);
#else
        MUST(from ? cudaGraphAddDependencies(graph, &from, &to, 1) : cudaSuccess);
#endif
    }
    cudaGraphConditionalHandle handle(unsigned value = 0, unsigned flags = cudaGraphCondAssignDefault) {
        cudaGraphConditionalHandle made;
        MUST(cudaGraphConditionalHandleCreate(&made, graph, value, flags));
        return made;
    }
    Chain conditional(cudaGraphConditionalNodeType type, cudaGraphConditionalHandle handle) {
        cudaGraphNodeParams node{};
        node.type = cudaGraphNodeTypeConditional;
        node.conditional.handle = handle;
        node.conditional.type = type;
        node.conditional.size = 1;
        cudaGraphNode_t made;
        MUST(cudaGraphAddNode(&made, graph, last ? &last : nullptr, nullptr, last ? 1 : 0, &node));
        last = made;
        return Chain(node.conditional.phGraph_out[0]);
    }
    /// A loop of `count` iterations with its counter in `left`; the caller adds to its body and ends it with countDown(left,
    /// handle).
    Chain loop(int *left, int count, cudaGraphConditionalHandle &made) {
        made = handle();
        kernel(arm, 1, 1, left, count, made);
        return conditional(cudaGraphCondTypeWhile, made);
    }
};

struct Exec {
    cudaGraphExec_t exec = nullptr;
    cudaStream_t stream = nullptr;
    explicit Exec(const Chain &chain) {
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        MUST(cudaGraphInstantiate(&exec, chain.graph, 0));
    }
    ~Exec() { cudaGraphExecDestroy(exec), cudaStreamDestroy(stream); }
    cudaError_t run() const {
        const cudaError_t launched = cudaGraphLaunch(exec, stream);
        return launched == cudaSuccess ? cudaStreamSynchronize(stream) : launched;
    }
};

template <class... Parameters, class... Values>
cudaError_t change(const Exec &exec, cudaGraphNode_t node, void (*f)(Parameters...), unsigned blocks, unsigned threads,
                   Values... values) {
    std::tuple<Parameters...> stored(static_cast<Parameters>(values)...);
    return std::apply(
        [&](auto &...each) {
            void *arguments[] = {&each..., nullptr};
            cudaKernelNodeParams params{};
            params.func = reinterpret_cast<void *>(f);
            params.gridDim = {blocks, 1, 1};
            params.blockDim = {threads, 1, 1};
            params.kernelParams = arguments;
            return cudaGraphExecKernelNodeSetParams(exec.exec, node, &params);
        },
        stored);
}

void iterations();
void slots();
void bandwidth();
void memory();

} // namespace questions
