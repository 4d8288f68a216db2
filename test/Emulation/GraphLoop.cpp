// Graphs with loops and branches that the device controls, on the emulated GPU.
#include "GraphFixture.h"

namespace {

using gpu::ConditionalKind;

/// *i = 0; sets the condition for the first iteration.
SDFGC_KERNEL void arm(gpu::GraphConditional loop, int *i, const int *count) {
    *i = 0;
    gpu::graphSetConditional(loop, *i < *count);
}
SDFGC_KERNEL void step(gpu::GraphConditional loop, int *i, const int *count) {
    ++*i;
    gpu::graphSetConditional(loop, *i < *count);
}
SDFGC_KERNEL void stop(gpu::GraphConditional loop) { gpu::graphSetConditional(loop, 0); }
SDFGC_KERNEL void add(double *to, double value) { *to += value; }
SDFGC_KERNEL void twice(const double *from, double *to) { *to = *from * 2; }
/// One array in even iterations, the other one in odd ones.
SDFGC_KERNEL void alternate(const int *i, double *a, double *b, int odd) {
    double *const to = (*i + odd) % 2 == 0 ? a : b;
    *to += 1;
}

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

struct Memory {
    Device<int> i{std::vector<int>{7}, "i"}, count{std::vector<int>{0}, "count"}, j{std::vector<int>{7}, "j"},
        inner{std::vector<int>{0}, "inner"};
    Device<double> a{std::vector<double>{0}, "a"}, b{std::vector<double>{0}, "b"};
    Memory() { REQUIRE(gpu::deviceSynchronize() == gpu::success); }
    void setCount(int n, int m = 0) {
        count.set({n});
        inner.set({m});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
    }
};

/// for (i = 0; i < count; ++i) { a += 1; }
struct Loop : Plan {
    gpu::GraphConditional loop = condition(graph);
    gpu::GraphHandle body = nullptr;
    gpu::GraphNode first, added;

    explicit Loop(const Memory &m) {
        first = kernel<arm>("arm", {}, 1, loop, m.i.data, m.count.data);
        conditional(graph, ConditionalKind::While, loop, {first}, body);
        added = kernelIn<add>(body, "add", {}, 1, m.a.data, 1.0);
        kernelIn<step>(body, "step", {added}, 1, loop, m.i.data, m.count.data);
    }
};

} // namespace

TEST_CASE("a while node runs its body as often as the device says, anew in every launch") {
    underSeeds([] {
        Memory m;
        Loop loop(m);
        loop.instantiate();
        double sum = 0;
        for (const int n : {3, 0, 10, 1}) {
            m.setCount(n);
            loop.launch();
            sum += n;
            CHECK(m.a.get()[0] == sum);
            CHECK(m.i.get()[0] == n);
        }
    });
}

TEST_CASE("an if node runs its body once or not at all") {
    underSeeds([] {
        Memory m;
        Plan plan;
        const gpu::GraphConditional taken = Plan::condition(plan.graph);
        gpu::GraphHandle body = nullptr;
        const gpu::GraphNode first = plan.kernel<arm>("arm", {}, 1, taken, m.i.data, m.count.data);
        const gpu::GraphNode branch = Plan::conditional(plan.graph, ConditionalKind::If, taken, {first}, body);
        Plan::kernelIn<add>(body, "add", {}, 1, m.a.data, 1.0);
        plan.kernel<twice>("behind", {branch}, 1, m.a.data, m.b.data);
        plan.instantiate();
        for (const int n : {1, 0, 5}) {
            m.setCount(n);
            plan.launch();
        }
        CHECK(m.a.get()[0] == 2);
        CHECK(m.b.get()[0] == 4);
    });
}

TEST_CASE("a default value is there at the beginning of a launch, not of every run of a body") {
    underSeeds([] {
        Memory m;
        m.setCount(3);
        Plan plan;
        const gpu::GraphConditional loop = Plan::condition(plan.graph, 1, true);
        gpu::GraphHandle body = nullptr, inside = nullptr;
        Plan::conditional(plan.graph, ConditionalKind::While, loop, {}, body);
        const gpu::GraphConditional once = Plan::condition(body, 1, true);
        const gpu::GraphNode branch = Plan::conditional(body, ConditionalKind::If, once, {}, inside);
        const gpu::GraphNode added = Plan::kernelIn<add>(inside, "add", {}, 1, m.a.data, 1.0);
        Plan::kernelIn<stop>(inside, "stop", {added}, 1, once);
        Plan::kernelIn<step>(body, "step", {branch}, 1, loop, m.i.data, m.count.data);
        plan.instantiate();
        m.i.set({0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        plan.launch();
        CHECK(m.i.get()[0] == 3);
        CHECK(m.a.get()[0] == 1); // in the first iteration only
        plan.launch();
        CHECK(m.i.get()[0] == 4); // a do-while loop: one more iteration
        CHECK(m.a.get()[0] == 2);
    });
}

TEST_CASE("loops inside of loops are armed by a kernel of the outer body") {
    underSeeds([] {
        Memory m;
        m.setCount(3, 4);
        Plan plan;
        const gpu::GraphConditional outer = Plan::condition(plan.graph);
        gpu::GraphHandle body = nullptr, innerBody = nullptr;
        const gpu::GraphNode first = plan.kernel<arm>("arm outer", {}, 1, outer, m.i.data, m.count.data);
        Plan::conditional(plan.graph, ConditionalKind::While, outer, {first}, body);
        const gpu::GraphConditional inner = Plan::condition(body);
        const gpu::GraphNode armed = Plan::kernelIn<arm>(body, "arm inner", {}, 1, inner, m.j.data, m.inner.data);
        const gpu::GraphNode loop = Plan::conditional(body, ConditionalKind::While, inner, {armed}, innerBody);
        const gpu::GraphNode added = Plan::kernelIn<add>(innerBody, "add", {}, 1, m.a.data, 1.0);
        Plan::kernelIn<step>(innerBody, "step inner", {added}, 1, inner, m.j.data, m.inner.data);
        Plan::kernelIn<step>(body, "step outer", {loop}, 1, outer, m.i.data, m.count.data);
        plan.instantiate();
        plan.launch();
        plan.launch();
        CHECK(m.a.get()[0] == 24);
    });
}

TEST_CASE("nodes of bodies take updates, or do not") {
    const Fresh fresh;
    Memory m;
    m.setCount(5);
    Loop loop(m);
    loop.instantiate();
    const Arguments<add> other(m.b.data, 2.0);
    {
        const Environment refuse("SDFGC_EMULATE_GRAPH_BODIES", "refuse");
        CHECK(gpu::graphExecKernelNodeSetParams(loop.exec, loop.added, other.node({.name = "add"}, 1, 1)) ==
              gpu::graphExecUpdateFailure);
    }
    CHECK(gpu::graphExecKernelNodeSetParams(loop.exec, loop.added, other.node({.name = "add"}, 1, 1)) == gpu::success);
    loop.launch();
    CHECK(m.a.get()[0] == 0);
    CHECK(m.b.get()[0] == 10);
}

TEST_CASE("an update does not reach a launch that is queued, in bodies either") {
    underSeeds([] {
        Memory m;
        m.setCount(5);
        const StreamOf stream;
        Loop loop(m);
        loop.instantiate();
        loop.launch(stream);
        const Arguments<add> other(m.b.data, 2.0);
        REQUIRE(gpu::graphExecKernelNodeSetParams(loop.exec, loop.added, other.node({.name = "add"}, 1, 1)) == gpu::success);
        loop.launch(stream);
        CHECK(m.a.get()[0] == 5);
        CHECK(m.b.get()[0] == 10);
    });
}

TEST_CASE("nodes of one iteration need edges, those of different ones do not") {
    underSeeds([] {
        Memory m;
        m.setCount(6);
        Loop loop(m);
        Plan::kernelIn<alternate>(loop.body, "even", {loop.added}, 1, m.inner.data, m.b.data, m.b.data, 0);
        loop.instantiate();
        loop.launch();
        CHECK(m.b.get()[0] == 6);
    });
    for (uint64_t seed = 0; seed <= 4; ++seed) { // in each iteration, both write one array; the arrays alternate
        INFO("seed " << seed);
        const Fresh fresh(seed);
        Memory m;
        m.setCount(6);
        Plan plan;
        const gpu::GraphConditional loop = Plan::condition(plan.graph);
        gpu::GraphHandle body = nullptr;
        const gpu::GraphNode first = plan.kernel<arm>("arm", {}, 1, loop, m.i.data, m.count.data);
        Plan::conditional(plan.graph, ConditionalKind::While, loop, {first}, body);
        const bool wrong = seed % 2 == 0;
        const gpu::GraphNode even = Plan::kernelIn<alternate>(body, "even", {}, 1, m.i.data, m.a.data, m.b.data, 0);
        const gpu::GraphNode odd = Plan::kernelIn<alternate>(body, "odd", {}, 1, m.i.data, m.a.data, m.b.data, wrong ? 0 : 1);
        Plan::kernelIn<step>(body, "step", {even, odd}, 1, loop, m.i.data, m.count.data);
        plan.instantiate();
        plan.launch();
        CHECK(m.a.get()[0] == 6);
        CHECK(m.b.get()[0] == 6);
        CHECK(gpu::emulate::reportCount() == (wrong ? 1 : 0));
        if (wrong)
            reported("missing edge: kernel ");
    }
}

TEST_CASE("to the nodes beside it, a loop uses what its body uses") {
    for (uint64_t seed = 0; seed <= 4; ++seed) {
        INFO("seed " << seed);
        const Fresh fresh(seed);
        Memory m;
        m.setCount(4);
        Loop loop(m);
        loop.kernel<twice>("beside", {loop.first}, 1, m.a.data, m.b.data);
        loop.instantiate();
        loop.launch();
        CHECK(m.a.get()[0] == 4); // observing has no side effects
        CHECK(m.i.get()[0] == 4);
        CHECK(gpu::emulate::reportCount() == 1);
        reported("missing edge: kernel beside (map m) reads 'a' that while node 1 writes, and neither comes before the other in "
                 "graph g");
    }
}

TEST_CASE("a branch whose condition is set without an edge to it is reported, whichever comes first") {
    for (const unsigned long long seed : {0, 1, 2, 3}) {
        const Fresh fresh(seed);
        Memory m;
        m.setCount(3);
        gpu::emulate::leaveOutEdge(1); // from `arm` to the branch
        Plan plan;
        const gpu::GraphConditional taken = Plan::condition(plan.graph);
        gpu::GraphHandle body = nullptr;
        const gpu::GraphNode first = plan.kernel<arm>("arm", {}, 1, taken, m.i.data, m.count.data);
        Plan::conditional(plan.graph, ConditionalKind::If, taken, {first}, body);
        Plan::kernelIn<add>(body, "add", {}, 1, m.a.data, 1.0);
        CHECK(gpu::emulate::leaveOutEdge(0) == 1);
        plan.instantiate();
        (void)gpu::graphLaunch(plan.exec, nullptr);
        (void)gpu::deviceSynchronize();
        reported(
            "missing edge: if node 1 reads a condition that kernel arm (map m) sets, and neither comes before the other in graph "
            "g");
    }
}

TEST_CASE("conditions that nobody sets, that two kernels set, and that never end") {
    const Fresh fresh(1);
    Memory m;
    m.setCount(3);
    SECTION("undefined") {
        Plan plan;
        gpu::GraphHandle body = nullptr;
        Plan::conditional(plan.graph, ConditionalKind::While, Plan::condition(plan.graph), {}, body);
        plan.instantiate();
        plan.launch();
        CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
        reported("undefined condition: while node 0 of graph g is reached before a kernel has set its condition");
    }
    SECTION("unordered") {
        Loop loop(m);
        Plan::kernelIn<step>(loop.body, "another", {}, 1, loop.loop, m.j.data, m.count.data);
        loop.instantiate();
        const Environment unchecked("SDFGC_EMULATE_GRAPH_CHECK", "0");
        const Environment few("SDFGC_EMULATE_ITERATIONS", "20");
        (void)gpu::graphLaunch(loop.exec, nullptr);
        (void)gpu::deviceSynchronize();
        CHECK(gpu::emulate::reportCount() >= 1);
        reported("unordered conditions: kernel ");
    }
    SECTION("endless") {
        m.setCount(1000);
        const Environment few("SDFGC_EMULATE_ITERATIONS", "20");
        Loop loop(m);
        loop.instantiate();
        loop.launch();
        CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
        reported("endless loop: while node 1 of graph g has run 20 times, and its condition is 1");
    }
    SECTION("set by a kernel that is not launched by the graph") {
        Loop loop(m);
        loop.instantiate();
        (void)gpu::launch<stop>({.name = "stop"}, 1, 1, 0, nullptr, loop.loop);
        CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
        reported("wrong condition: kernel stop, block (0, 0, 0), thread (0, 0, 0): it sets a graph's condition, but is not "
                 "launched by a graph");
    }
    SECTION("of another graph's launch") {
        Loop loop(m);
        Plan other;
        other.kernel<stop>("stop", {}, 1, loop.loop);
        other.instantiate();
        other.launch();
        CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
        reported("it sets a condition that its graph does not have");
    }
}

TEST_CASE("plans with conditions that cannot be") {
    const Fresh fresh;
    Memory m;
    Plan plan;
    gpu::GraphHandle body = nullptr, second = nullptr;
    gpu::GraphNode node = nullptr;
    gpu::GraphExec exec = nullptr;
    const auto add = [&](gpu::GraphHandle where, gpu::GraphConditional condition) {
        return gpu::graphAddConditionalNode(node, second, where, nullptr, 0, ConditionalKind::While, condition);
    };
    const gpu::GraphConditional loop = Plan::condition(plan.graph, 0, true);
    CHECK(gpu::graphInstantiate(exec, plan.graph) == gpu::invalidValue);
    reported("unused condition: a condition of graph g belongs to no node");
    Plan::conditional(plan.graph, ConditionalKind::While, loop, {}, body);
    CHECK(add(plan.graph, loop) == gpu::invalidValue);
    reported("wrong condition: while node 1 of graph g gets a condition that is that of another node");
    CHECK(add(body, loop) == gpu::invalidValue);
    reported("wrong condition: while node 0 of graph g gets a condition that is none of this graph's");
    CHECK(gpu::graphDestroy(body) == gpu::invalidValue);
    reported("body: a body of graph g is destroyed by itself, but belongs to its node");
    CHECK(gpu::graphInstantiate(exec, body) == gpu::invalidValue);
    reported("second executable graph: graph g is the body of a node");
    plan.instantiate();
    CHECK(gpu::graphInstantiate(exec, plan.graph) == gpu::invalidValue);
    reported("second executable graph: graph g has conditions, and an executable graph already");
    CHECK(gpu::graphExecDestroy(plan.exec) == gpu::success);
    plan.instantiate(); // sequential execution is correct
    double host = 0;
    CHECK(gpu::graphAddMemcpyNode1D(node, body, nullptr, 0, m.a.data, &host, 8, gpu::CopyKind::HostToDevice) == gpu::invalidValue);
    reported("host memory in a graph: the copy of host memory to 'a' of graph g");
    const Environment flat("SDFGC_EMULATE_GRAPHS", "flat");
    gpu::GraphConditional none = 0;
    CHECK(gpu::graphConditionalHandleCreate(none, plan.graph, 0, false) == gpu::notSupported);
}
