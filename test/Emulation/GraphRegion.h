// A region for the tests of regions that run as graphs, and a handle that contains it.
#pragma once

#include "GraphFixture.h"

#include "sdfgc/rt/gpu_graph.h"

namespace region {

inline SDFGC_KERNEL void scale(const double *in, double *out, double factor, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor;
}
inline SDFGC_KERNEL void add(const double *in, double *out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += in[i];
}
/// stage[0:N] = A[0:N] * factor + start, through T and B.
struct Inputs {
    const double *A;
    double *T, *B, *stage;
    double factor, start;
    int64_t N;
};

inline void stepNodes(gpu::GraphNodes &g, const Inputs &in) {
    const gpu::Dim3 grid(gpu::blocks(in.N, 32));
    const int n0 = g.fill({}, in.B, in.N, in.start);
    const int n1 = g.kernel<scale>({.name = "scale", .element = "state s, map m"}, {}, grid, 32, in.A, in.T, in.factor, in.N);
    const int n2 = g.kernel<add>({.name = "add", .element = "state t, map m"}, {n0, n1}, grid, 32, in.T, in.B, in.N);
    g.copyToHost({n2}, in.stage, in.B, in.N);
}
inline void stepHost(gpu::Program &program, const Inputs &in) {
    const gpu::Dim3 grid(gpu::blocks(in.N, 32));
    program.fill(0, in.B, in.N, in.start);
    program.launch<scale>(0, {.name = "scale"}, grid, 32, in.A, in.T, in.factor, in.N);
    program.launch<add>(0, {.name = "add"}, grid, 32, in.T, in.B, in.N);
    program.copyToHost(0, in.stage, in.B, in.N);
}

/// A handle with one region and its own buffers.
struct Handle {
    gpu::Program program;
    gpu::Buffer<double> T{"T", 100}, B{"B", 100};
    gpu::PinnedBuffer<double> stage{"stage", 100};
    gpu::Graph graph;

    explicit Handle(int entries = 8) : graph("step", entries) { program.open(2, 0); }
    ~Handle() { (void)gpu::deviceSynchronize(); }

    Inputs inputs(const double *A, double factor, int64_t N, double start = 0.5) {
        return {A, T.data(), B.data(), stage.data(), factor, start, N};
    }
    void queue(const Inputs &in, int stream = 0) {
        graph.run(program, stream, in, stepNodes, [&] { stepHost(program, in); });
    }
    /// Runs, waits, and checks the result for an A filled with `value`.
    void call(const Inputs &in, double value) {
        queue(in);
        program.synchronise(0);
        bool right = true;
        for (int64_t i = 0; i < in.N; ++i)
            right = right && stage[i] == value * in.factor + in.start;
        CHECK(right);
    }
    const gpu::GraphInfo &info() const { return graph.info(); }
};

/// A program with one stream and one region, whose contents the test defines. Everything that the nodes use must live longer.
struct Region {
    gpu::Program program;
    gpu::Graph graph{"step"};

    Region() { program.open(1, 0); }
    ~Region() { (void)gpu::deviceSynchronize(); }
    template <class Inputs, class Nodes, class HostPath>
    void queue(const Inputs &in, const Nodes &nodes, const HostPath &hostPath) {
        graph.run(program, 0, in, nodes, hostPath);
    }
    template <class Nodes> void run(const Nodes &nodes) {
        queue(
            0, [&](gpu::GraphNodes &g, int) { nodes(g); }, [] { FAIL("the host path"); });
        program.synchronise(0);
    }
};

/// Runs body() under the seeds 0 to 4, each from a fresh start, and expects no report.
template <class Body> void underSeeds(Body body) {
    for (uint64_t seed = 0; seed <= 4; ++seed) {
        INFO("seed " << seed);
        const Fresh fresh(seed);
        body();
        INFO("last report: " << gpu::emulate::lastReport());
        CHECK(gpu::emulate::reportCount() == 0);
    }
}

/// A device of test/lit/gpu/Inputs/graph_matrix.py: the environment variable that selects it, and the reason why regions without
/// loops use the host path there.
struct DeviceKind {
    const char *variable, *value;
    const char *reason; // "": they run as graphs
};

/// Runs body(kind) for each of them, under the seeds.
template <class Body> void onDevices(Body body) {
    constexpr DeviceKind kinds[] = {
        {"SDFGC_EMULATE_GRAPHS", "full", ""},
        {"SDFGC_EMULATE_GRAPHS", "flat", ""},
        {"SDFGC_EMULATE_GRAPHS", "none", "the device's driver has no graphs"},
        {"SDFGC_EMULATE_GRAPHS", "fail-instantiate", "making the graph executable: out of memory (outOfMemory)"},
        {"SDFGC_GPU_GRAPH", "0", "SDFGC_GPU_GRAPH is 0"},
    };
    for (const DeviceKind &kind : kinds) {
        INFO(kind.variable << " is " << kind.value);
        const Environment made(kind.variable, kind.value);
        underSeeds([&] { body(kind); });
    }
}

/// The counters of a region without loops, evictions and empty calls, on a device that runs it as a graph.
struct Counts {
    int64_t calls, builds, updates;
    int64_t nodes; // of the last call
};
/// All counters equal these, or the corresponding values for a device that uses the host path.
inline void checkCounts(const gpu::GraphInfo &info, const Counts &counts, const DeviceKind &on) {
    const bool used = !*on.reason;
    CHECK(std::string(info.name) == "step");
    CHECK(info.entries == (used ? counts.builds : 0));
    CHECK(info.builds == (used ? counts.builds : 0));
    CHECK(info.launches == (used ? counts.calls : 0));
    CHECK(info.updates == (used ? counts.updates : 0));
    CHECK(info.nodesLast == (used ? counts.nodes : 0));
    CHECK(info.usedLast == used);
    CHECK(info.hostPath == (used ? 0 : counts.calls));
    CHECK(info.iterationsLast == -1);
    CHECK(info.evictions == 0);
    CHECK(std::string(info.lastReason) == on.reason);
}

/// An array whose contents have arrived: copies to the device may finish after the call returns.
struct Full : Device<double> {
    explicit Full(double value, size_t n = 100) : Device<double>(std::vector<double>(n, value)) {
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
    }
};

} // namespace region
