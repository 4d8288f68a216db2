// Regions with loops that the device controls (gpu_graph.h). Every test checks the counters.
#include "GraphRegion.h"

#include <cstdlib>
#include <optional>

using namespace region;

namespace {

SDFGC_KERNEL void arm(int *i, const int *count, bool *go) {
    *i = 0;
    *go = *i < *count;
}
SDFGC_KERNEL void step(int *i, const int *count, bool *go) { *go = ++*i < *count; }
SDFGC_KERNEL void isOdd(const int *i, bool *odd) { *odd = *i % 2 == 1; }
SDFGC_KERNEL void twice(double *x) { *x *= 2; }
SDFGC_KERNEL void increment(double *x, double by) { *x += by; }

struct LoopInputs {
    double *x;
    int *i, *outer;
    const int *count, *outerCount;
    bool *go, *outerGo;
    double by;
};

/// for (i = 0; i < count; ++i) x += by;
void countNodes(gpu::GraphNodes &g, const LoopInputs &in) {
    const int n0 = g.kernel<arm>({.name = "arm"}, {}, 1, 1, in.i, in.count, in.go);
    const int n1 = g.loop({.name = "count"}, {n0}, in.go);
    {
        g.kernel<increment>({.name = "increment"}, {}, 1, 1, in.x, in.by);
        g.kernel<step>({.name = "step"}, {}, 1, 1, in.i, in.count, in.go);
    }
    g.end();
    g.kernel<twice>({.name = "twice"}, {n1}, 1, 1, in.x);
}
/// The same inside of a loop over `outer`.
void nestNodes(gpu::GraphNodes &g, const LoopInputs &in) {
    const int n0 = g.kernel<arm>({.name = "arm outer"}, {}, 1, 1, in.outer, in.outerCount, in.outerGo);
    g.loop({.name = "outer"}, {n0}, in.outerGo);
    {
        countNodes(g, in);
        g.kernel<step>({.name = "step outer"}, {}, 1, 1, in.outer, in.outerCount, in.outerGo);
    }
    g.end();
}

struct Loops {
    gpu::Program program;
    Device<double> x{std::vector<double>{0}, "x"};
    Device<int> i{std::vector<int>{7}, "i"}, outer{std::vector<int>{7}, "outer"}, count{std::vector<int>{0}, "count"},
        outerCount{std::vector<int>{0}, "outerCount"};
    Device<unsigned char> go{std::vector<unsigned char>{1}, "go"}, outerGo{std::vector<unsigned char>{1}, "outerGo"};
    gpu::Graph graph{"loops"};
    int hostCalls = 0;

    Loops() {
        program.open(1, 0);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
    }
    ~Loops() { (void)gpu::deviceSynchronize(); }
    LoopInputs inputs(double by) {
        return {x.data,
                i.data,
                outer.data,
                count.data,
                outerCount.data,
                reinterpret_cast<bool *>(go.data),
                reinterpret_cast<bool *>(outerGo.data),
                by};
    }
    template <class Nodes> double call(const Nodes &nodes, const LoopInputs &in, int n, int outerN = 0) {
        x.set({0});
        count.set({n});
        outerCount.set({outerN});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        graph.run(program, 0, in, nodes, [&] { ++hostCalls; });
        program.synchronise(0);
        return x.get()[0];
    }
};

} // namespace

TEST_CASE("a loop in a region runs as often as its flag says, also not at all") {
    underSeeds([] {
        Loops l;
        CHECK(l.call(countNodes, l.inputs(0.5), 5) == 5);
        CHECK(l.call(countNodes, l.inputs(0.5), 0) == 0);
        CHECK(l.call(countNodes, l.inputs(0.5), 300) == 300);
        CHECK(l.graph.info().builds == 1);
        CHECK(l.graph.info().updates == 0);
        CHECK(l.graph.info().nodesLast == 7); // two of them set the condition
        CHECK(l.hostCalls == 0);
    });
}

TEST_CASE("arguments and flags in a loop change without a build") {
    underSeeds([] {
        Loops l;
        Device<unsigned char> other{std::vector<unsigned char>{0}, "other"};
        LoopInputs in = l.inputs(1);
        CHECK(l.call(countNodes, in, 4) == 8);
        in.by = 3;
        CHECK(l.call(countNodes, in, 4) == 24);
        CHECK(l.graph.info().updates == 1);
        in.go = reinterpret_cast<bool *>(other.data); // of arm and step, and of the two that set the condition
        CHECK(l.call(countNodes, in, 4) == 24);
        CHECK(l.graph.info().updates == 5);
        CHECK(l.graph.info().builds == 1);
    });
}

TEST_CASE("a loop inside of a loop begins anew in each iteration") {
    underSeeds([] {
        Loops l;
        CHECK(l.call(nestNodes, l.inputs(1), 2, 3) == (((0 + 2) * 2 + 2) * 2 + 2) * 2);
        CHECK(l.call(nestNodes, l.inputs(1), 0, 3) == 0);
        CHECK(l.call(nestNodes, l.inputs(1), 2, 0) == 0);
        CHECK(l.graph.info().builds == 1);
    });
}

TEST_CASE("iterations of all loops in the last launch are counted") {
    underSeeds([] {
        std::optional<Loops> l;
        const auto iterations = [&](const auto &nodes, int n, int outerN) {
            (void)l->call(nodes, l->inputs(1), n, outerN);
            const int64_t first = l->graph.info().iterationsLast;
            CHECK(l->graph.info().iterationsLast == first); // the device is queried once
            return first;
        };
        l.emplace();
        CHECK(iterations(countNodes, 5, 0) == 5);
        CHECK(iterations(countNodes, 0, 0) == 0);
        CHECK(iterations(countNodes, 300, 0) == 300);
        l.emplace();
        CHECK(iterations(nestNodes, 2, 3) == 3 + 3 * 2);
        CHECK(iterations(nestNodes, 0, 3) == 3);
        CHECK(iterations(nestNodes, 2, 0) == 0);
        const auto behindBranch = [](gpu::GraphNodes &g, const LoopInputs &in) {
            const int n0 = g.kernel<isOdd>({.name = "isOdd"}, {}, 1, 1, in.outerCount, in.outerGo);
            g.branch({.name = "odd"}, {n0}, in.outerGo);
            countNodes(g, in);
            g.end();
        };
        l.emplace();
        CHECK(iterations(behindBranch, 4, 1) == 4);
        CHECK(iterations(behindBranch, 4, 2) == 0); // not those of the previous call
        const auto two = [](gpu::GraphNodes &g, const LoopInputs &in) {
            countNodes(g, in);
            const int n0 = g.kernel<arm>({.name = "arm"}, {2}, 1, 1, in.i, in.outerCount, in.go);
            const int n1 = g.kernel<isOdd>({.name = "isOdd"}, {n0}, 1, 1, in.outerCount, in.outerGo);
            g.loop({.name = "second"}, {n1}, in.go);
            g.kernel<step>({.name = "step"}, {}, 1, 1, in.i, in.outerCount, in.go);
            g.end();
        };
        l.emplace();
        CHECK(iterations(two, 3, 8) == 3 + 8);
        CHECK(l->hostCalls == 0);
        const Environment off("SDFGC_GPU_GRAPH", "0");
        l->graph.reset();
        CHECK(iterations(countNodes, 5, 0) == -1);
    });
}

TEST_CASE("a branch in a loop runs when its flag says so") {
    const auto nodes = [](gpu::GraphNodes &g, const LoopInputs &in) {
        const int n0 = g.kernel<arm>({.name = "arm"}, {}, 1, 1, in.i, in.count, in.go);
        g.loop({.name = "count"}, {n0}, in.go);
        {
            const int b0 = g.kernel<isOdd>({.name = "isOdd"}, {}, 1, 1, in.i, in.outerGo);
            const int b1 = g.branch({.name = "odd"}, {b0}, in.outerGo);
            g.kernel<increment>({.name = "increment"}, {}, 1, 1, in.x, in.by);
            g.end();
            g.kernel<step>({.name = "step"}, {b0, b1}, 1, 1, in.i, in.count, in.go);
        }
        g.end();
    };
    underSeeds([&] {
        Loops l;
        CHECK(l.call(nodes, l.inputs(1), 5) == 2);
        CHECK(l.call(nodes, l.inputs(1), 0) == 0);
        CHECK(l.graph.info().builds == 1);
    });
}

TEST_CASE("where a loop's nodes refuse an update, the graph is made anew") {
    ::setenv("SDFGC_EMULATE_GRAPH_BODIES", "refuse", 1);
    underSeeds([] {
        Loops l;
        CHECK(l.call(countNodes, l.inputs(1), 4) == 8);
        CHECK(l.call(countNodes, l.inputs(2), 4) == 16);
        CHECK(l.graph.info().builds == 2);
        CHECK(l.graph.info().entries == 1);
    });
    ::unsetenv("SDFGC_EMULATE_GRAPH_BODIES");
}

TEST_CASE("where graphs have no loops, the host path is taken") {
    ::setenv("SDFGC_EMULATE_GRAPHS", "flat", 1);
    underSeeds([] {
        Loops l;
        (void)l.call(countNodes, l.inputs(1), 4);
        CHECK(l.hostCalls == 1);
        CHECK(l.graph.info().builds == 0);
        CHECK(std::string(l.graph.info().lastReason) == "the device's driver has no loops or branches in graphs");
    });
    ::unsetenv("SDFGC_EMULATE_GRAPHS");
}
