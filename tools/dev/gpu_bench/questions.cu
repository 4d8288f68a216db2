// Tests the behaviour of a CUDA driver where its documentation is silent and docs/user/gpu-graphs.md relies on it, and measures
// parts of a loop on the device. Prints one line per answer.
//
//   nvcc -std=c++20 -O2 -arch=native -DWITH_CUBLAS tools/dev/gpu_bench/{questions,costs}.cu -lcublas -o questions && ./questions
//   ./questions bodies            one question only; without a name each is asked in a process of its own, as some break the context
//
// Without -DWITH_CUBLAS, the question `gemm` is skipped.
#include "questions.h"

#include <cstring>
#include <string>

#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

namespace questions {
namespace {

/// Which properties of nodes in a loop's body can be changed through the executable graph that contains the loop?
void bodies() {
    const Ints left, sum, other(1024), source;
    source.write(5, 0), source.write(6, 1);
    Chain top;
    cudaGraphConditionalHandle handle;
    Chain body = top.loop(left.at, 3, handle);
    const cudaGraphNode_t add = body.kernel(addTo, 1, 1, sum.at, 1), filled = body.kernel(fill, 1, 32, other.at, 1);
    const cudaGraphNode_t set = body.set(sum.at + 1, 7),
                          copied = body.copy(sum.at + 2, source.at, sizeof(int), cudaMemcpyDeviceToDevice);
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
    const cudaError_t copying =
        cudaGraphExecMemcpyNodeSetParams1D(exec.exec, copied, sum.at + 4, source.at + 1, sizeof(int), cudaMemcpyDeviceToDevice);
    MUST(exec.run());
    say("addresses of a copy in a body: %s, %d (6 if it counts)", name(copying), sum.read(4));
    const cudaError_t disabling = cudaGraphNodeSetEnabled(exec.exec, add, 0);
    sum.write(0), MUST(exec.run());
    say("a kernel in a body switched off: %s, sum %d (0 if it counts)", name(disabling), sum.read());
}

/// The driver and the device.
void device() {
    cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    MUST(cudaGetDeviceProperties(&properties, 0));
    MUST(cudaDriverGetVersion(&driver)), MUST(cudaRuntimeGetVersion(&runtime));
    say("%s, sm_%d%d, driver for CUDA %d.%d, runtime %d.%d", properties.name, properties.major, properties.minor, driver / 1000,
        driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

/// What is the value of a condition that is never set in a launch?
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
            say("%s, default %u: the branch had run %d, %d, %d times after 1, 2, 3 launches", flags ? "AssignDefault" : "no flag",
                value, after[0], after[1], after[2]);
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
    say("inside of a loop of 3, default 1, cleared by the branch: ran %d times (1: the default is given at the launch only)",
        inner.read());
}

/// Is it harmful to set a condition outside of a launch?
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

/// Empty bodies, deep nests, many iterations, large bodies.
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
        Chain first = top.loop(left.at, 10, handles[0]), second = first.loop(inner.at, 10, handles[1]),
              third = second.loop(innermost.at, 10, handles[2]);
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
        say("%d iterations of %d + 1 kernels: sum %d (%d), %.2f µs an iteration, %.2f µs a kernel", iterations, nodes, sum.read(),
            2 * iterations * nodes, time / iterations, time / iterations / (nodes + 1));
    }
}

/// When does a copy from pageable host memory read it?
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
    const cudaError_t changed =
        cudaGraphExecMemcpyNodeSetParams1D(exec.exec, copied, target.at, other.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    MUST(exec.run());
    say("address of the source changed: %s, %d (4 if it counts)", name(changed), target.read(count - 1));
}

/// A launch into a stream that is being captured.
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
        say("%s: launch %s, update %s, launch %s, capture %s with %zu nodes, instantiation %s, launch %s, end %s, sum %d (2: as "
            "captured, 11, 20: updates count)",
            conditional ? "with a branch" : "without conditions", name(launched), name(changed), name(again), name(ended), nodes,
            name(made), name(ran), name(done), sum.read());
    }
}

#ifdef WITH_CUBLAS
/// Matrix products of cuBLAS captured into the body of a loop.
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
            cudaError_t began =
                cudaStreamBeginCaptureToGraph(stream, body.graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal);
            const int f64 = cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, matrices, n, matrices + size, n, &zero,
                                        matrices + 2 * size, n);
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
            const cudaError_t ran = made == cudaSuccess ? cudaGraphLaunch(exec, stream) : made,
                              done = cudaStreamSynchronize(stream);
            say("n = %d, workspace %s: capture %s, products %d %d, end %s, kinds of nodes%s, step %s, instantiation %s, launch %s, "
                "end %s, left %d",
                n, given ? "given" : "its own", name(began), f64, f32, name(ended), kinds.c_str(), name(added), name(made),
                name(ran), name(done), left.read());
            cudaGetLastError();
            cudaFree(matrices);
        }
    }
}
#endif

struct Question {
    const char *name;
    void (*ask)();
};
constexpr Question all[] = {{"device", device},
                            {"bodies", bodies},
                            {"defaults", defaults},
                            {"outside", outside},
                            {"limits", limits},
                            {"pageable", pageable},
                            {"capturing", capturing},
#ifdef WITH_CUBLAS
                            {"gemm", gemm},
#endif
                            {"iterations", iterations},
                            {"slots", slots},
                            {"bandwidth", bandwidth},
                            {"memory", memory}};

} // namespace
} // namespace questions

int main(int count, char **arguments) {
    for (const questions::Question &question : questions::all) {
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
