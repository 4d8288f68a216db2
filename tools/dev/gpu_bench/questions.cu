// What a CUDA driver does where its documentation is silent and docs/gpu-graphs.md relies on it, and what the pieces of a loop on the
// device cost. Prints one line for each answer.
//
//   nvcc -std=c++20 -O2 -arch=native -DWITH_CUBLAS tools/dev/gpu_bench/questions.cu -lcublas -o questions && ./questions
//   ./questions bodies            one question only; without a name each is asked in a process of its own, as some break the context
//
// Without -DWITH_CUBLAS the question `gemm` is left out.
#include <cuda_runtime.h>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

/// Errors are answers, so nothing ends the program: what is wanted to succeed goes through `must`.
void must(cudaError_t status, const char *what) {
    if (status != cudaSuccess) {
        std::printf("    %s: %s\n", what, cudaGetErrorName(status));
        std::fflush(stdout);
        std::_Exit(1);
    }
}
#define MUST(call) must(call, #call)

void say(const char *format, ...) {
    std::va_list values;
    va_start(values, format);
    std::printf("    ");
    std::vprintf(format, values);
    std::printf("\n");
    va_end(values);
}

const char *name(cudaError_t status) { return status == cudaSuccess ? "accepted" : cudaGetErrorName(status); }

/// Median microseconds of a call.
double microseconds(int repeats, const std::function<void()> &call) {
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

__global__ void addTo(int *to, int value) { *to += value; }
__global__ void setCondition(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }
__global__ void fill(int *to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
/// Counts down; the loop goes on until 0.
__global__ void countDown(int *left, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, --*left > 0); }
__global__ void countDownFlag(int *left, bool *go) { *go = --*left > 0; }
__global__ void bringFlag(cudaGraphConditionalHandle handle, const bool *go) { cudaGraphSetConditional(handle, *go); }
__global__ void arm(int *left, int value, cudaGraphConditionalHandle handle) {
    *left = value;
    cudaGraphSetConditional(handle, value > 0);
}
__global__ void nothing() {}

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

/// A graph while it is built: each node comes after the one before it.
struct Chain {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t last = nullptr;

    explicit Chain(cudaGraph_t body) : graph(body) {}
    Chain() { MUST(cudaGraphCreate(&graph, 0)); }

    template <class... Parameters, class... Values> cudaGraphNode_t kernel(void (*f)(Parameters...), unsigned blocks, unsigned threads, Values... values) {
        std::tuple<Parameters...> stored(static_cast<Parameters>(values)...);
        return std::apply([&](auto &...each) {
            void *arguments[] = {&each..., nullptr};
            cudaKernelNodeParams node{};
            node.func = reinterpret_cast<void *>(f);
            node.gridDim = {blocks, 1, 1};
            node.blockDim = {threads, 1, 1};
            node.kernelParams = arguments;
            cudaGraphNode_t made;
            MUST(cudaGraphAddKernelNode(&made, graph, last ? &last : nullptr, last ? 1 : 0, &node));
            return last = made;
        }, stored);
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
    /// A loop of `count` iterations that counts in `left`; the caller adds to its body and ends it with countDown(left, handle).
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
cudaError_t change(const Exec &exec, cudaGraphNode_t node, void (*f)(Parameters...), unsigned blocks, unsigned threads, Values... values) {
    std::tuple<Parameters...> stored(static_cast<Parameters>(values)...);
    return std::apply([&](auto &...each) {
        void *arguments[] = {&each..., nullptr};
        cudaKernelNodeParams params{};
        params.func = reinterpret_cast<void *>(f);
        params.gridDim = {blocks, 1, 1};
        params.blockDim = {threads, 1, 1};
        params.kernelParams = arguments;
        return cudaGraphExecKernelNodeSetParams(exec.exec, node, &params);
    }, stored);
}

/// 1, 7: what may be changed of nodes in the body of a loop, through the executable graph that holds the loop?
void bodies() {
    const Ints left, sum, other(1024), source;
    source.write(5, 0), source.write(6, 1);
    Chain top;
    cudaGraphConditionalHandle handle;
    Chain body = top.loop(left.at, 3, handle);
    const cudaGraphNode_t add = body.kernel(addTo, 1, 1, sum.at, 1), filled = body.kernel(fill, 1, 32, other.at, 1);
    const cudaGraphNode_t set = body.set(sum.at + 1, 7), copied = body.copy(sum.at + 2, source.at, sizeof(int), cudaMemcpyDeviceToDevice);
    body.kernel(countDown, 1, 1, left.at, handle);
    const Exec exec(top);
    MUST(exec.run());
    say("as built: add %d (3), set %d (7), copied %d (5)", sum.read(), sum.read(1), sum.read(2));
    const cudaError_t kernel = change(exec, add, addTo, 1, 1, sum.at, 10);
    sum.write(0), MUST(exec.run());
    say("argument of a kernel in a body: %s, sum %d (30 if it counts)", name(kernel), sum.read());
    const cudaError_t grid = change(exec, filled, fill, 8, 64, other.at, 2);
    MUST(exec.run());
    say("grid of a kernel in a body: %s, element 511 is %d (2 if it counts)", name(grid), other.read(511));
    cudaMemsetParams memset{sum.at + 3, 0, 9, sizeof(int), 1, 1};
    const cudaError_t setting = cudaGraphExecMemsetNodeSetParams(exec.exec, set, &memset);
    MUST(exec.run());
    say("address and value of a fill in a body: %s, %d (9 if it counts)", name(setting), sum.read(3));
    const cudaError_t copying = cudaGraphExecMemcpyNodeSetParams1D(exec.exec, copied, sum.at + 4, source.at + 1, sizeof(int), cudaMemcpyDeviceToDevice);
    MUST(exec.run());
    say("addresses of a copy in a body: %s, %d (6 if it counts)", name(copying), sum.read(4));
    const cudaError_t disabling = cudaGraphNodeSetEnabled(exec.exec, add, 0);
    sum.write(0), MUST(exec.run());
    say("a kernel in a body switched off: %s, sum %d (0 if it counts)", name(disabling), sum.read());
}

/// 2: which driver, which device.
void device() {
    cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    MUST(cudaGetDeviceProperties(&properties, 0));
    MUST(cudaDriverGetVersion(&driver)), MUST(cudaRuntimeGetVersion(&runtime));
    say("%s, sm_%d%d, driver for CUDA %d.%d, runtime %d.%d", properties.name, properties.major, properties.minor, driver / 1000, driver % 1000 / 10,
        runtime / 1000, runtime % 1000 / 10);
}

/// 3: what is a condition that nobody sets in this launch?
void defaults() {
    for (const unsigned flags : {0U, unsigned(cudaGraphCondAssignDefault)})
        for (const unsigned value : {0U, 1U}) {
            const Ints count;
            Chain top;
            const auto outer = top.handle(value, flags);
            Chain body = top.conditional(cudaGraphCondTypeIf, outer);
            body.kernel(addTo, 1, 1, count.at, 1);
            body.kernel(setCondition, 1, 1, outer, 1 - value);
            const Exec exec(top);
            int after[3];
            for (int &seen : after)
                MUST(exec.run()), seen = count.read();
            say("%s, default %u: the branch had run %d, %d, %d times after 1, 2, 3 launches", flags ? "AssignDefault" : "no flag", value, after[0], after[1], after[2]);
        }
    const Ints left, inner;
    Chain top;
    cudaGraphConditionalHandle handle;
    Chain body = top.loop(left.at, 3, handle);
    const auto nested = body.handle(1, cudaGraphCondAssignDefault);
    Chain branch = body.conditional(cudaGraphCondTypeIf, nested);
    branch.kernel(addTo, 1, 1, inner.at, 1);
    branch.kernel(setCondition, 1, 1, nested, 0);
    body.kernel(countDown, 1, 1, left.at, handle);
    const Exec exec(top);
    MUST(exec.run());
    say("inside of a loop of 3, default 1, cleared by the branch: ran %d times (1: the default is given at the launch only)", inner.read());
}

/// 4: does setting a condition outside of a launch do harm?
void outside() {
    Chain top;
    const auto handle = top.handle();
    Chain body = top.conditional(cudaGraphCondTypeIf, handle);
    body.kernel(nothing, 1, 1);
    const Exec exec(top);
    setCondition<<<1, 1>>>(handle, 1);
    const cudaError_t launched = cudaGetLastError(), done = cudaDeviceSynchronize();
    say("a kernel on a stream that sets a condition: launch %s, end %s", name(launched), name(done));
}

/// 5: bodies without nodes, deep nests, many iterations, large bodies.
void limits() {
    const Ints left, inner, innermost, sum;
    {
        Chain top;
        const auto handle = top.handle(1);
        top.conditional(cudaGraphCondTypeIf, handle);
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, top.graph, 0);
        const cudaError_t ran = made == cudaSuccess ? cudaGraphLaunch(exec, nullptr) : made;
        say("branch without nodes: instantiation %s, launch %s, end %s", name(made), name(ran), name(cudaDeviceSynchronize()));
    }
    {
        Chain top;
        cudaGraphConditionalHandle handles[3];
        Chain first = top.loop(left.at, 10, handles[0]), second = first.loop(inner.at, 10, handles[1]), third = second.loop(innermost.at, 10, handles[2]);
        third.kernel(addTo, 1, 1, sum.at, 1);
        third.kernel(countDown, 1, 1, innermost.at, handles[2]);
        second.kernel(countDown, 1, 1, inner.at, handles[1]);
        first.kernel(countDown, 1, 1, left.at, handles[0]);
        const Exec exec(top);
        const double time = microseconds(9, [&] { sum.write(0), MUST(exec.run()); });
        say("three loops of 10 in each other: sum %d (1000), %.1f µs a launch", sum.read(), time);
    }
    for (const int nodes : {1, 200}) {
        Chain top;
        cudaGraphConditionalHandle handle;
        const int iterations = nodes == 1 ? 1000000 : 1000;
        Chain body = top.loop(left.at, iterations, handle);
        for (int i = 0; i < nodes; ++i)
            body.kernel(addTo, 1, 1, sum.at, 1);
        body.kernel(countDown, 1, 1, left.at, handle);
        const Exec exec(top);
        sum.write(0);
        const double time = microseconds(1, [&] { MUST(exec.run()); });
        say("%d iterations of %d + 1 kernels: sum %d (%d), %.2f µs an iteration, %.2f µs a kernel", iterations, nodes, sum.read(), 2 * iterations * nodes,
            time / iterations, time / iterations / (nodes + 1));
    }
}

/// 6: when does a copy from ordinary memory of the host read it?
void pageable() {
    constexpr size_t count = size_t(1) << 24;
    std::vector<int> source(count, 1);
    const Ints target(count);
    Chain top;
    const cudaGraphNode_t copied = top.copy(target.at, source.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    const Exec exec(top);
    std::fill(source.begin(), source.end(), 2);
    MUST(exec.run());
    say("changed after instantiation: the copy reads %d (1: when built, 2: at the launch)", target.read(count - 1));
    MUST(cudaGraphLaunch(exec.exec, exec.stream));
    std::fill(source.rbegin(), source.rend(), 3);
    MUST(cudaStreamSynchronize(exec.stream));
    say("changed after the launch returned: %d (2: the launch waits or stages, 3: it reads later)", target.read(count - 1));
    std::vector<int> other(count, 4);
    const cudaError_t changed = cudaGraphExecMemcpyNodeSetParams1D(exec.exec, copied, target.at, other.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    MUST(exec.run());
    say("address of the source changed: %s, %d (4 if it counts)", name(changed), target.read(count - 1));
}

/// 9: a launch into a stream that is being captured.
void capturing() {
    for (const bool conditional : {false, true}) {
        const Ints sum;
        Chain inner;
        cudaGraphNode_t add;
        if (conditional) {
            const auto handle = inner.handle(1);
            Chain body = inner.conditional(cudaGraphCondTypeIf, handle);
            add = body.kernel(addTo, 1, 1, sum.at, 1);
        } else {
            add = inner.kernel(addTo, 1, 1, sum.at, 1);
        }
        const Exec exec(inner);
        cudaStream_t stream;
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        const cudaError_t launched = cudaGraphLaunch(exec.exec, stream);
        const cudaError_t changed = change(exec, add, addTo, 1, 1, sum.at, 10);
        const cudaError_t again = launched == cudaSuccess ? cudaGraphLaunch(exec.exec, stream) : launched;
        cudaGraph_t captured = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream, &captured);
        size_t nodes = 0;
        cudaGraphExec_t outer = nullptr;
        cudaError_t made = ended, ran = ended;
        if (ended == cudaSuccess) {
            MUST(cudaGraphGetNodes(captured, nullptr, &nodes));
            made = cudaGraphInstantiate(&outer, captured, 0);
            ran = made == cudaSuccess ? cudaGraphLaunch(outer, stream) : made;
        }
        const cudaError_t done = cudaStreamSynchronize(stream);
        say("%s: launch %s, update %s, launch %s, capture %s with %zu nodes, instantiation %s, launch %s, end %s, sum %d (2: as captured, 11, 20: updates count)",
            conditional ? "with a branch" : "without conditions", name(launched), name(changed), name(again), name(ended), nodes, name(made), name(ran), name(done), sum.read());
    }
}

#ifdef WITH_CUBLAS
/// 8: matrix products of cuBLAS captured into the body of a loop.
void gemm() {
    cublasHandle_t blas;
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (cublasCreate(&blas) || cublasSetStream(blas, stream))
        return say("cuBLAS cannot be set up");
    void *workspace;
    constexpr size_t workspaceSize = size_t(32) << 20;
    MUST(cudaMalloc(&workspace, workspaceSize));
    for (const bool given : {false, true}) {
        cublasSetWorkspace(blas, given ? workspace : nullptr, given ? workspaceSize : 0);
        for (const int n : {1, 16, 100, 1000, 4096}) {
            double *matrices;
            MUST(cudaMalloc(&matrices, 3 * size_t(n) * n * sizeof(double)));
            MUST(cudaMemset(matrices, 0, 3 * size_t(n) * n * sizeof(double)));
            const Ints left;
            Chain top;
            cudaGraphConditionalHandle handle;
            Chain body = top.loop(left.at, 3, handle);
            const double one = 1, zero = 0;
            const size_t size = size_t(n) * n;
            cudaError_t began = cudaStreamBeginCaptureToGraph(stream, body.graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal);
            const int f64 = cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, matrices, n, matrices + size, n, &zero, matrices + 2 * size, n);
            const auto *floats = reinterpret_cast<float *>(matrices);
            const float onef = 1, zerof = 0;
            const int f32 = cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &onef, floats, n, floats + size, n, &zerof,
                                        reinterpret_cast<float *>(matrices + 2 * size), n);
            cudaGraph_t captured = nullptr;
            const cudaError_t ended = cudaStreamEndCapture(stream, &captured);
            size_t nodes = 0;
            cudaGraphGetNodes(body.graph, nullptr, &nodes);
            std::string kinds;
            std::vector<cudaGraphNode_t> all(nodes);
            cudaGraphGetNodes(body.graph, all.data(), &nodes);
            for (cudaGraphNode_t each : all) {
                cudaGraphNodeType type;
                cudaGraphNodeGetType(each, &type);
                kinds += ' ' + std::to_string(int(type));
            }
            std::vector<cudaGraphNode_t> ends = all;
            cudaGraphNode_t step;
            int *counter = left.at;
            void *arguments[] = {&counter, &handle, nullptr};
            cudaKernelNodeParams node{};
            node.func = reinterpret_cast<void *>(countDown);
            node.gridDim = node.blockDim = {1, 1, 1};
            node.kernelParams = arguments;
            const cudaError_t added = cudaGraphAddKernelNode(&step, body.graph, ends.data(), ends.size(), &node);
            cudaGraphExec_t exec = nullptr;
            const cudaError_t made = cudaGraphInstantiate(&exec, top.graph, 0);
            const cudaError_t ran = made == cudaSuccess ? cudaGraphLaunch(exec, stream) : made, done = cudaStreamSynchronize(stream);
            say("n = %d, workspace %s: capture %s, products %d %d, end %s, kinds of nodes%s, step %s, instantiation %s, launch %s, end %s, left %d", n, given ? "given" : "its own",
                name(began), f64, f32, name(ended), kinds.c_str(), name(added), name(made), name(ran), name(done), left.read());
            cudaGetLastError();
            cudaFree(matrices);
        }
    }
}
#endif

/// 11.3, 3: a loop of small kernels on the device, from the host, and unrolled.
void iterations() {
    constexpr int count = 1000;
    const Ints left, sum;
    bool *go, host = true;
    MUST(cudaMalloc(&go, 1));
    for (const int kernels : {1, 3, 10}) {
        Chain inside, apart, unrolled;
        cudaGraphConditionalHandle handle;
        Chain body = inside.loop(left.at, count, handle);
        for (int k = 0; k < kernels; ++k)
            body.kernel(addTo, 1, 1, sum.at, 1);
        body.kernel(countDown, 1, 1, left.at, handle);
        Chain other = apart.loop(left.at, count, handle);
        for (int k = 0; k < kernels; ++k)
            other.kernel(addTo, 1, 1, sum.at, 1);
        other.kernel(countDownFlag, 1, 1, left.at, go);
        other.kernel(bringFlag, 1, 1, handle, go);
        for (int i = 0; i < count * kernels; ++i)
            unrolled.kernel(addTo, 1, 1, sum.at, 1);
        const Exec first(inside), second(apart), third(unrolled);
        const double device = microseconds(5, [&] { MUST(first.run()); }), twoKernels = microseconds(5, [&] { MUST(second.run()); });
        const double flat = microseconds(5, [&] { MUST(third.run()); });
        const double byHost = microseconds(5, [&] {
            left.write(count);
            do {
                for (int k = 0; k < kernels; ++k)
                    addTo<<<1, 1, 0, third.stream>>>(sum.at, 1);
                countDownFlag<<<1, 1, 0, third.stream>>>(left.at, go);
                MUST(cudaMemcpyAsync(&host, go, 1, cudaMemcpyDeviceToHost, third.stream));
                MUST(cudaStreamSynchronize(third.stream));
            } while (host);
        });
        say("%d kernels, µs an iteration: on the device %.2f, with a kernel of its own for the condition %.2f, from the host %.2f, unrolled %.2f", kernels,
            device / count, twoKernels / count, byHost / count, flat / count);
    }
    cudaFree(go);
}

__global__ void axpyByValue(const double *x, double *y, double a, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
struct Slot {
    const double *x;
    double *y;
    double a;
    int64_t n;
};
__global__ void axpyBySlot(const Slot *slot) {
    const Slot in = *slot;
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < in.n)
        in.y[i] += in.a * in.x[i];
}

/// 11.3, 4: arguments by value and from a slot in device memory.
void slots() {
    double *data;
    Slot *slot;
    constexpr int64_t most = int64_t(1) << 26;
    MUST(cudaMalloc(&data, 2 * most * sizeof(double))), MUST(cudaMalloc(&slot, sizeof(Slot)));
    MUST(cudaMemset(data, 0, 2 * most * sizeof(double)));
    for (const int64_t n : {int64_t(256), int64_t(1) << 16, most}) {
        const Slot values{data, data + most, 2.0, n};
        MUST(cudaMemcpy(slot, &values, sizeof values, cudaMemcpyHostToDevice));
        const unsigned blocks = unsigned((n + 255) / 256);
        const int kernels = n == most ? 20 : 1000;
        Chain byValue, bySlot;
        for (int k = 0; k < kernels; ++k) {
            byValue.kernel(axpyByValue, blocks, 256, data, data + most, 2.0, n);
            bySlot.kernel(axpyBySlot, blocks, 256, slot);
        }
        const Exec first(byValue), second(bySlot);
        const double value = microseconds(9, [&] { MUST(first.run()); }), read = microseconds(9, [&] { MUST(second.run()); });
        say("axpy of %lld doubles, µs a kernel: by value %.2f, from a slot %.2f", (long long)n, value / kernels, read / kernels);
    }
    cudaFree(data), cudaFree(slot);
}

/// 11.3, 6 and 7: what an executable graph of 1000 kernels holds, and what uploading it saves.
void memory() {
    const Ints sum;
    Chain chain;
    for (int k = 0; k < 1000; ++k)
        chain.kernel(addTo, 1, 1, sum.at, 1);
    size_t before, after, total;
    {
        const Exec warm(chain);
        MUST(warm.run());
    }
    MUST(cudaMemGetInfo(&before, &total));
    std::vector<Exec *> held;
    for (int i = 0; i < 100; ++i)
        held.push_back(new Exec(chain)), MUST(held.back()->run());
    MUST(cudaMemGetInfo(&after, &total));
    say("an executable graph of 1000 kernels: %.1f KiB of device memory", double(before - after) / 1024 / 100);
    for (Exec *each : held)
        delete each;
    for (const bool upload : {false, true}) {
        std::vector<double> launches, uploads;
        for (int i = 0; i < 9; ++i) {
            const Exec exec(chain);
            const auto time = [&](const std::function<void()> &call) {
                const auto start = std::chrono::steady_clock::now();
                call();
                return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
            };
            if (upload)
                uploads.push_back(time([&] { MUST(cudaGraphUpload(exec.exec, exec.stream)), MUST(cudaStreamSynchronize(exec.stream)); }));
            launches.push_back(time([&] { MUST(exec.run()); }));
        }
        std::sort(launches.begin(), launches.end()), std::sort(uploads.begin(), uploads.end());
        say("first launch %s: %.0f µs%s%.0f", upload ? "after an upload" : "without an upload", launches[4], upload ? ", the upload µs " : ", later ones ",
            upload ? uploads[4] : [&] { const Exec exec(chain); return microseconds(9, [&] { MUST(exec.run()); }); }());
    }
}

struct Question {
    const char *name;
    void (*ask)();
};
constexpr Question questions[] = {{"device", device}, {"bodies", bodies}, {"defaults", defaults}, {"outside", outside}, {"limits", limits},
                                  {"pageable", pageable}, {"capturing", capturing},
#ifdef WITH_CUBLAS
                                  {"gemm", gemm},
#endif
                                  {"iterations", iterations}, {"slots", slots}, {"memory", memory}};

} // namespace

int main(int count, char **arguments) {
    for (const Question &question : questions) {
        if (count > 1 && std::strcmp(arguments[1], question.name) == 0)
            question.ask();
        if (count > 1)
            continue;
        std::printf("%s\n", question.name);
        std::fflush(stdout);
        if (const int status = std::system(("timeout 60 " + std::string(arguments[0]) + ' ' + question.name).c_str()))
            std::printf("    ended with status %d\n", status);
    }
}
