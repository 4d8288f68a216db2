// One misuse of device graphs per argument, in addition to those of Misuse.cpp: test/lit/gpu/misuse-graphs.test checks the reports.
#include "MisuseGraphs.h"

#include "sdfgc/rt/gpu/emulated_call.h"
#include "sdfgc/rt/gpu_graph.h"

#include <cstdio>
#include <cstring>
#include <vector>

namespace gpu = sdfgc::gpu;

namespace {

SDFGC_KERNEL void twice(const double *A, double *B) { B[threadIdx.x] = A[threadIdx.x] * 2; }

SDFGC_KERNEL void makeTrue(gpu::GraphConditional loop) { gpu::graphSetConditional(loop, 1); }

/// Two arrays of 32 elements, a graph named step, and its contents.
struct Region {
    double *A = nullptr, *B = nullptr, *host = nullptr;
    gpu::GraphHandle plan = nullptr;
    gpu::GraphExec exec = nullptr;

    Region() {
        (void)gpu::malloc(&A, bytes, "A");
        (void)gpu::malloc(&B, bytes, "B");
        (void)gpu::mallocHost(&host, bytes, "stage");
        (void)gpu::memsetAsync(A, 0, bytes, nullptr);
        (void)gpu::memsetAsync(B, 0, bytes, nullptr);
        (void)gpu::deviceSynchronize();
        (void)gpu::graphCreate(plan, "step");
    }

    gpu::GraphNode kernel(const char *name, const std::vector<gpu::GraphNode> &after, const double *from, double *to,
                          int64_t threads = 32) const {
        alignas(16) unsigned char arguments[2 * sizeof(double *)];
        gpu::detail::ArgumentsOf<twice>::store(arguments, from, to);
        gpu::GraphNode node = nullptr;
        (void)gpu::graphAddKernelNode(
            node, plan, after.data(), after.size(),
            {{.name = name, .element = "state s, map m"}, gpu::kernelTraits<twice>(), 1, threads, 0, arguments});
        return node;
    }
    /// A kernel that sets a condition to true.
    void begin(gpu::GraphHandle where, const char *name, gpu::GraphConditional loop,
               const std::vector<gpu::GraphNode> &after) const {
        alignas(16) unsigned char arguments[sizeof loop];
        gpu::detail::ArgumentsOf<makeTrue>::store(arguments, loop);
        gpu::GraphNode node = nullptr;
        (void)gpu::graphAddKernelNode(
            node, where, after.data(), after.size(),
            {{.name = name, .element = "state s, map m"}, gpu::kernelTraits<makeTrue>(), 1, 1, 0, arguments});
    }
    gpu::GraphConditional condition(bool assign) const {
        gpu::GraphConditional result = 0;
        (void)gpu::graphConditionalHandleCreate(result, plan, 1, assign);
        return result;
    }
    /// An empty loop or branch; returns its body.
    gpu::GraphHandle loop(gpu::GraphConditional condition, gpu::ConditionalKind kind = gpu::ConditionalKind::While) const {
        gpu::GraphHandle body = nullptr;
        gpu::GraphNode node = nullptr;
        (void)gpu::graphAddConditionalNode(node, body, plan, nullptr, 0, kind, condition);
        return body;
    }
    void launch(gpu::Stream stream = nullptr) {
        if (!exec && gpu::graphInstantiate(exec, plan) != gpu::success)
            return;
        (void)gpu::graphLaunch(exec, stream);
    }

    static constexpr size_t bytes = 32 * sizeof(double);
};

/// A capturing stream; its plan at the end.
struct Capture {
    gpu::Stream stream = nullptr;

    Capture() {
        (void)gpu::streamCreate(stream);
        (void)gpu::streamBeginCapture(stream);
    }
    /// A call of a library function that negates.
    void negate(const double *from, double *to) const {
        (void)gpu::detail::queueCall("negate", stream, {gpu::detail::rangeOf(from, 32), gpu::detail::rangeOf(to, 32)}, {}, [=] {
            for (int i = 0; i < 32; ++i)
                to[i] = -from[i];
        });
    }
    gpu::GraphHandle end() const {
        gpu::GraphHandle plan = nullptr;
        (void)gpu::streamEndCapture(stream, plan, "call negate (state s, tasklet t)");
        return plan;
    }
};

struct Inputs {
    const double *from;
    double *to;
};

/// A region whose inputs do not contain the address that its kernel gets.
void staleArgument(const Region &r) {
    gpu::Program program;
    program.open(1, 0);
    gpu::Graph graph("step");
    const Inputs inputs{r.A, nullptr};
    for (double *to : {r.B, r.A})
        graph.run(
            program, 0, inputs,
            [&](gpu::GraphNodes &nodes, const Inputs &in) {
                nodes.kernel<twice>({.name = "twice", .element = "state s, map m"}, {}, 1, 32, in.from, to);
            },
            [] {});
}
/// A region whose inputs do not show that a node is absent.
void staleShape(const Region &r) {
    gpu::Program program;
    program.open(1, 0);
    gpu::Graph graph("step");
    const Inputs inputs{r.A, r.B};
    for (int64_t threads : {32, 0})
        graph.run(
            program, 0, inputs,
            [&](gpu::GraphNodes &nodes, const Inputs &in) {
                const int first = nodes.kernel<twice>({.name = "first"}, {}, 1, 32, in.from, in.to);
                nodes.kernel<twice>({.name = "second"}, {first}, 1, threads, in.to, in.to);
            },
            [] {});
}

/// Captures, and plans used as nodes of other plans.
bool misuseCaptures(const char *name, Region &r) {
    const auto is = [&](const char *other) { return std::strcmp(name, other) == 0; };
    gpu::GraphNode node = nullptr;
    void *memory = nullptr;
    if (is("graph-missing-edge-call")) {
        const Capture capture;
        capture.negate(r.B, r.B);
        r.kernel("first", {}, r.A, r.B);
        (void)gpu::graphAddChildGraphNode(node, r.plan, nullptr, 0, capture.end());
        r.launch();
    } else if (is("graph-capture-launch")) {
        const Capture capture;
        (void)gpu::launch<twice>({.name = "first"}, 1, 32, 0, capture.stream, r.A, r.B);
        (void)capture.end();
    } else if (is("graph-capture-memory")) {
        const Capture capture;
        (void)gpu::malloc(&memory, 256, "workspace");
        (void)capture.end();
    } else if (is("graph-capture-wait")) {
        const Capture capture;
        (void)gpu::deviceSynchronize();
        (void)capture.end();
    } else if (is("graph-capture-default")) {
        (void)gpu::streamBeginCapture(nullptr);
    } else if (is("graph-capture-twice")) {
        const Capture capture;
        (void)gpu::streamBeginCapture(capture.stream);
        (void)capture.end();
    } else if (is("graph-capture-end")) {
        const Capture capture;
        (void)capture.end();
        (void)capture.end();
    } else if (is("graph-capture-destroyed")) {
        const Capture capture;
        (void)gpu::streamDestroy(capture.stream);
    } else if (is("graph-child-itself")) {
        (void)gpu::graphAddChildGraphNode(node, r.plan, nullptr, 0, r.plan);
    } else if (is("graph-child-conditions")) {
        const Region other;
        other.loop(other.condition(true));
        (void)gpu::graphAddChildGraphNode(node, r.plan, nullptr, 0, other.plan);
    } else {
        return false;
    }
    return true;
}

} // namespace

bool misuseGraphs(const char *name) {
    const auto is = [&](const char *other) { return std::strcmp(name, other) == 0; };
    Region r;
    gpu::GraphNode node = nullptr;
    if (is("graph-missing-edge")) {
        r.kernel("first", {}, r.A, r.B);
        r.kernel("second", {}, r.B, r.B);
        r.launch();
    } else if (is("graph-cycle")) {
        const gpu::GraphNode first = r.kernel("first", {}, r.A, r.B), second = r.kernel("second", {first}, r.B, r.A);
        (void)gpu::graphAddDependencies(r.plan, &second, &first, 1);
        r.launch();
    } else if (is("graph-unknown-dependence")) {
        const Region other;
        r.kernel("second", {other.kernel("first", {}, r.A, r.B)}, r.B, r.A);
    } else if (is("graph-repeated-dependence")) {
        const gpu::GraphNode first = r.kernel("first", {}, r.A, r.B);
        r.kernel("second", {first, first}, r.B, r.A);
    } else if (is("graph-empty-kernel")) {
        r.kernel("first", {}, r.A, r.B, 0);
    } else if (is("graph-empty-copy")) {
        (void)gpu::graphAddMemcpyNode1D(node, r.plan, nullptr, 0, r.B, r.A, 0, gpu::CopyKind::DeviceToDevice);
    } else if (is("graph-empty-fill")) {
        (void)gpu::graphAddMemsetNode(node, r.plan, nullptr, 0, {r.A, 0, 0, 1, 0, 1});
    } else if (is("graph-host-memory")) {
        double host[32] = {};
        (void)gpu::graphAddMemcpyNode1D(node, r.plan, nullptr, 0, r.B, host, r.bytes, gpu::CopyKind::HostToDevice);
    } else if (is("graph-host-argument")) {
        double host[32] = {};
        r.kernel("first", {}, host, r.B);
        r.launch();
    } else if (is("graph-freed")) {
        r.kernel("first", {}, r.A, r.B);
        r.launch();
        (void)gpu::free(r.A);
        r.launch();
    } else if (is("graph-freed-stage")) {
        (void)gpu::graphAddMemcpyNode1D(node, r.plan, nullptr, 0, r.host, r.B, r.bytes, gpu::CopyKind::DeviceToHost);
        r.launch();
        (void)gpu::freeHost(r.host);
        r.launch();
    } else if (is("graph-busy")) {
        r.kernel("first", {}, r.A, r.B);
        gpu::Stream stream = nullptr;
        (void)gpu::streamCreate(stream);
        r.launch(stream);
        (void)gpu::graphExecDestroy(r.exec);
    } else if (is("graph-undefined")) {
        (void)gpu::graphDestroy(r.plan);
        r.launch();
    } else if (is("graph-undefined-executable")) {
        r.kernel("first", {}, r.A, r.B);
        r.launch();
        (void)gpu::deviceSynchronize();
        (void)gpu::graphExecDestroy(r.exec);
        r.launch();
    } else if (is("graph-undefined-node")) {
        r.kernel("first", {}, r.A, r.B);
        r.launch();
        const Region other;
        (void)gpu::graphNodeSetEnabled(r.exec, other.kernel("other", {}, r.A, r.B), false);
    } else if (is("graph-undefined-condition")) {
        r.loop(r.condition(false));
        r.launch();
    } else if (is("graph-unordered-conditions")) {
        const gpu::GraphConditional condition = r.condition(true);
        const gpu::GraphHandle body = r.loop(condition, gpu::ConditionalKind::If);
        r.begin(body, "first", condition, {});
        r.begin(body, "second", condition, {});
        r.launch();
    } else if (is("graph-endless")) {
        const gpu::GraphConditional condition = r.condition(true);
        r.begin(r.loop(condition), "step", condition, {});
        r.launch();
    } else if (is("graph-condition-outside")) {
        (void)gpu::launch<makeTrue>({.name = "begin", .element = "state s, map m"}, 1, 1, 0, nullptr, r.condition(true));
    } else if (is("graph-unused-condition")) {
        (void)r.condition(true);
        r.launch();
    } else if (is("graph-shared-condition")) {
        const gpu::GraphConditional condition = r.condition(true);
        r.loop(condition);
        r.loop(condition);
    } else if (is("graph-second-executable")) {
        r.loop(r.condition(true));
        (void)gpu::graphInstantiate(r.exec, r.plan);
        (void)gpu::graphInstantiate(r.exec, r.plan);
    } else if (is("graph-body-destroyed")) {
        (void)gpu::graphDestroy(r.loop(r.condition(true)));
    } else if (is("graph-leak")) {
        gpu::initialise("p");
        r.launch();
        (void)gpu::free(r.A);
        (void)gpu::free(r.B);
        (void)gpu::freeHost(r.host);
        gpu::finalise("p");
    } else if (is("graph-stale-argument")) {
        staleArgument(r);
    } else if (is("graph-stale-shape")) {
        staleShape(r);
    } else if (!misuseCaptures(name, r)) {
        return false;
    }
    (void)gpu::deviceSynchronize();
    return true;
}
