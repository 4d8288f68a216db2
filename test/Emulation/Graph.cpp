// Graphs of the emulated GPU: the behaviour that CUDA specifies, and the errors that the emulation detects.
#include "GraphFixture.h"

#include <set>

namespace {

SDFGC_KERNEL void set(double *out, double value) { *out = value; }
SDFGC_KERNEL void addOne(const double *in, double *out) { *out = *in + 1; }
SDFGC_KERNEL void scaleAll(const double *in, double *out, double factor, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor;
}
SDFGC_KERNEL void takeNumber(int *next, int *numbers, int which) { numbers[which] = (*next)++; }
SDFGC_KERNEL void count(int *counter, double *sum) {
    atomicAdd(counter, 1);
    atomicAdd(sum, 0.5);
}
struct Place {
    double *inside;
};
SDFGC_KERNEL void addInside(Place to, double *out, int64_t at) { // page-locked memory to which the kernel has no pointer argument
    *to.inside += 1;
    out[at] = *to.inside;
}
SDFGC_KERNEL void mixed(char c, double *out, short s, float f) { *out = c + 10 * s + 100 * double(f); }
SDFGC_KERNEL void reverse(double *out) {
    SDFGC_DYNAMIC_SHARED(double, tile);
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

/// Runs body() under the seeds 0 to 8, each from a fresh start.
template <class Body> void underSeeds(Body body) {
    for (uint64_t seed = 0; seed <= 8; ++seed) {
        INFO("seed " << seed);
        const Fresh fresh(seed);
        body();
    }
}

const std::vector<double> four = {1, 2, 3, 4};

} // namespace

TEST_CASE("a graph's kernels run in the order of its edges, as often as it is launched") {
    underSeeds([] {
        const StreamOf stream;
        const Device<double> a(std::vector<double>{0}, "a"), b(std::vector<double>{0}, "b");
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        Plan plan;
        const gpu::GraphNode first = plan.kernel<addOne>("first", {}, 1, a.data, b.data);
        plan.kernel<addOne>("second", {first}, 1, b.data, a.data);
        plan.instantiate();
        for (int i = 0; i < 5; ++i)
            plan.launch(stream);
        CHECK(a.get()[0] == 10);
        CHECK(gpu::emulate::reportCount() == 0);
    });
}

TEST_CASE("a node keeps its arguments, whatever their types and order") {
    const Fresh fresh;
    const Device<double> out(1);
    Plan plan;
    plan.kernel<mixed>("mixed", {}, 1, 'a', out.data, 7, 2.5);
    plan.instantiate();
    plan.launch();
    CHECK(out.get()[0] == 'a' + 70 + 250);
}

TEST_CASE("an executable graph is a copy of the plan") {
    underSeeds([] {
        const Device<double> a(std::vector<double>{0});
        Plan plan;
        plan.kernel<set>("set", {}, 1, a.data, 5.0);
        plan.instantiate();
        plan.kernel<set>("later", {}, 1, a.data, 7.0);
        plan.launch();
        CHECK(a.get()[0] == 5);
    });
}

TEST_CASE("the seed decides the order of nodes without edges, within those there are") {
    const Environment unchecked("SDFGC_EMULATE_GRAPH_CHECK", "0"); // all nodes take numbers from one counter
    std::set<std::vector<int>> orders;
    underSeeds([&] {
        const Device<int> next(std::vector<int>{0}), numbers(std::vector<int>(6));
        Plan plan;
        const auto node = [&](int which, const std::vector<gpu::GraphNode> &after) {
            return plan.kernel<takeNumber>("k", after, 1, next.data, numbers.data, which);
        };
        const gpu::GraphNode top = node(0, {}), left = node(1, {top}), right = node(2, {top});
        node(3, {left, right});
        const gpu::GraphNode alone = node(4, {});
        node(5, {alone});
        plan.instantiate();
        plan.launch();
        const std::vector<int> order = numbers.get();
        CHECK(order[0] < order[1]);
        CHECK(order[0] < order[2]);
        CHECK(order[1] < order[3]);
        CHECK(order[2] < order[3]);
        CHECK(order[4] < order[5]);
        orders.insert(order);
    });
    CHECK(orders.size() >= 4);
    CHECK(orders.count({0, 1, 2, 3, 4, 5}) == 1); // seeds 0, 4, 8
}

TEST_CASE("an update reaches launches to come, not those that are queued") {
    underSeeds([] {
        const StreamOf stream;
        const Device<double> a(std::vector<double>{0}), b(std::vector<double>{0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        Plan plan;
        const gpu::GraphNode node = plan.kernel<set>("set", {}, 1, a.data, 5.0);
        plan.instantiate();
        plan.launch(stream);
        const Arguments<set> other(b.data, 7.0);
        REQUIRE(gpu::graphExecKernelNodeSetParams(plan.exec, node, other.node({.name = "set"}, 1, 1)) == gpu::success);
        plan.launch(stream);
        CHECK(a.get()[0] == 5);
        CHECK(b.get()[0] == 7);
    });
}

TEST_CASE("another kernel, grid, block and dynamic shared memory are updates") {
    const Fresh fresh;
    const Device<double> in(std::vector<double>(100, 3.0)), out(std::vector<double>(100, 0.0));
    Plan plan;
    const gpu::GraphNode node = plan.kernel<scaleAll>("scale", {}, 10, in.data, out.data, 2.0, 10);
    plan.instantiate();
    const Arguments<scaleAll> all(in.data, out.data, 2.0, 100);
    CHECK(gpu::graphExecKernelNodeSetParams(plan.exec, node, all.node({.name = "scale"}, 4, 32)) == gpu::success);
    plan.launch();
    CHECK(out.get() == std::vector<double>(100, 6.0));
    const Arguments<reverse> reversed(out.data);
    CHECK(gpu::graphExecKernelNodeSetParams(plan.exec, node, reversed.node({.name = "reverse", .barriers = true}, 1, 4, 32)) ==
          gpu::success);
    plan.launch();
    CHECK(out.get()[0] == 3);
    CHECK(out.get()[3] == 0);
}

TEST_CASE("launches of one executable graph come one after the other, whatever their streams") {
    underSeeds([] {
        const StreamOf one, two;
        const Device<double> a(std::vector<double>{0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        Plan plan;
        plan.kernel<addOne>("k", {}, 1, a.data, a.data);
        plan.instantiate();
        plan.launch(one);
        plan.launch(two);
        REQUIRE(gpu::streamSynchronize(two) == gpu::success);
        double value = 0;
        REQUIRE(gpu::memcpyAsync(&value, a.data, 8, gpu::CopyKind::DeviceToHost, two) == gpu::success);
        CHECK(value == 2);
    });
}

TEST_CASE("a graph is one operation of its stream") {
    underSeeds([] {
        const StreamOf stream;
        const Device<double> a(std::vector<double>{1}), b(std::vector<double>{0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        Plan plan;
        plan.kernel<addOne>("k", {}, 1, a.data, b.data);
        plan.instantiate();
        REQUIRE(gpu::launch<set>({.name = "before"}, 1, 1, 0, stream, a.data, 5.0) == gpu::success);
        plan.launch(stream);
        REQUIRE(gpu::launch<addOne>({.name = "behind"}, 1, 1, 0, stream, b.data, b.data) == gpu::success);
        REQUIRE(gpu::streamSynchronize(stream) == gpu::success);
        CHECK(b.get()[0] == 7);
    });
}

TEST_CASE("copies of rows, slices and page-locked memory, fills of 1, 2 and 4 bytes") {
    underSeeds([] {
        const Device<uint32_t> a(std::vector<uint32_t>(12, 0)), b(std::vector<uint32_t>(12, 0));
        uint32_t *host = nullptr;
        REQUIRE(gpu::mallocHost(&host, 12 * 4, "host") == gpu::success);
        Plan plan;
        gpu::GraphNode one = nullptr, two = nullptr, four = nullptr, rows = nullptr, back = nullptr;
        REQUIRE(gpu::graphAddMemsetNode(one, plan.graph, nullptr, 0, {a.data, 0, 0x11, 1, 8, 1}) == gpu::success);
        REQUIRE(gpu::graphAddMemsetNode(two, plan.graph, nullptr, 0, {a.data + 2, 0, 0x2233, 2, 4, 1}) == gpu::success);
        REQUIRE(gpu::graphAddMemsetNode(four, plan.graph, nullptr, 0, {a.data + 4, 16, 0x44556677, 4, 2, 2}) == gpu::success);
        const std::vector<gpu::GraphNode> fills = {one, two, four};
        REQUIRE(gpu::graphAddMemcpyNode(rows, plan.graph, fills.data(), 3, {b.data, 8, 24, a.data, 16, 48, 8, 3, 1},
                                        gpu::CopyKind::DeviceToDevice) == gpu::success);
        REQUIRE(gpu::graphAddMemcpyNode1D(back, plan.graph, &rows, 1, host, b.data, 48, gpu::CopyKind::DeviceToHost) ==
                gpu::success);
        plan.instantiate();
        plan.launch();
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        CHECK(std::vector<uint32_t>(host, host + 7) ==
              std::vector<uint32_t>{0x11111111, 0x11111111, 0x44556677, 0x44556677, 0x44556677, 0x44556677, 0});
        CHECK(gpu::emulate::reportCount() == 0);
        REQUIRE(gpu::freeHost(host) == gpu::success);
    });
}

TEST_CASE("what an executable graph cannot change is refused with a status and without a report") {
    const Fresh fresh;
    const Device<double> a(four, "a"), b(four, "b");
    double *host = nullptr;
    REQUIRE(gpu::mallocHost(&host, 32, "host") == gpu::success);
    Plan plan;
    gpu::GraphNode copy = nullptr, rows = nullptr, fill = nullptr, fillRows = nullptr, empty = nullptr;
    const gpu::GraphNode kernel = plan.kernel<addOne>("k", {}, 1, a.data, b.data);
    REQUIRE(gpu::graphAddMemcpyNode1D(copy, plan.graph, &kernel, 1, b.data, a.data, 32, gpu::CopyKind::DeviceToDevice) ==
            gpu::success);
    REQUIRE(gpu::graphAddMemcpyNode(rows, plan.graph, &copy, 1, {b.data, 16, 32, a.data, 16, 32, 8, 2, 1},
                                    gpu::CopyKind::DeviceToDevice) == gpu::success);
    REQUIRE(gpu::graphAddMemsetNode(fill, plan.graph, &rows, 1, {a.data, 0, 0, 1, 32, 1}) == gpu::success);
    REQUIRE(gpu::graphAddMemsetNode(fillRows, plan.graph, &fill, 1, {a.data, 16, 0, 4, 2, 2}) == gpu::success);
    REQUIRE(gpu::graphAddEmptyNode(empty, plan.graph, &fillRows, 1) == gpu::success);
    plan.instantiate();
    const auto copyTo = [&](gpu::GraphNode node, void *to, const void *from, size_t bytes, gpu::CopyKind kind) {
        return gpu::graphExecMemcpyNodeSetParams1D(plan.exec, node, to, from, bytes, kind);
    };
    const auto fillTo = [&](gpu::GraphNode node, const gpu::MemsetNodeParams &params) {
        return gpu::graphExecMemsetNodeSetParams(plan.exec, node, params);
    };
    using gpu::CopyKind, gpu::graphExecUpdateFailure, gpu::invalidValue;
    CHECK(copyTo(copy, a.data, b.data, 8, CopyKind::DeviceToDevice) == gpu::success);
    CHECK(copyTo(copy, a.data, b.data, 0, CopyKind::DeviceToDevice) == invalidValue);
    CHECK(copyTo(copy, host, b.data, 8, CopyKind::DeviceToHost) == graphExecUpdateFailure);
    CHECK(copyTo(rows, b.data, a.data, 8, CopyKind::DeviceToDevice) == graphExecUpdateFailure);
    CHECK(fillTo(fill, {b.data, 0, 1, 1, 8, 1}) == gpu::success);
    CHECK(fillTo(fill, {b.data, 0, 1, 1, 0, 1}) == invalidValue);
    CHECK(fillTo(fill, {b.data, 0, 1, 4, 2, 1}) == graphExecUpdateFailure);
    CHECK(fillTo(fill, {host, 0, 1, 1, 8, 1}) == graphExecUpdateFailure);
    CHECK(fillTo(fillRows, {a.data, 16, 1, 4, 2, 2}) == graphExecUpdateFailure);
    const Arguments<addOne> arguments(a.data, b.data);
    CHECK(gpu::graphExecKernelNodeSetParams(plan.exec, kernel, arguments.node({.name = "k", .cooperative = true}, 1, 1)) ==
          graphExecUpdateFailure);
    CHECK(gpu::graphExecKernelNodeSetParams(plan.exec, copy, arguments.node({.name = "k"}, 1, 1)) == invalidValue);
    CHECK(gpu::graphNodeSetEnabled(plan.exec, empty, false) == invalidValue);
    CHECK(gpu::emulate::reportCount() == 0);
    REQUIRE(gpu::freeHost(host) == gpu::success);
}

TEST_CASE("disabled nodes do nothing until they are enabled") {
    const Fresh fresh;
    const Device<double> a(std::vector<double>{0});
    Plan plan;
    const gpu::GraphNode first = plan.kernel<addOne>("first", {}, 1, a.data, a.data);
    plan.kernel<addOne>("second", {first}, 1, a.data, a.data);
    plan.instantiate();
    CHECK(gpu::graphNodeSetEnabled(plan.exec, first, false) == gpu::success);
    plan.launch();
    CHECK(a.get()[0] == 1);
    CHECK(gpu::graphNodeSetEnabled(plan.exec, first, true) == gpu::success);
    plan.launch();
    CHECK(a.get()[0] == 3);
    const Environment flat("SDFGC_EMULATE_GRAPHS", "flat");
    CHECK(gpu::graphNodeSetEnabled(plan.exec, first, false) == gpu::notSupported);
}

TEST_CASE("devices with fewer graphs") {
    const Fresh fresh;
    gpu::GraphSupport support{};
    CHECK(gpu::graphSupport(support) == gpu::success);
    CHECK(support == gpu::GraphSupport::Loops);
    {
        const Environment flat("SDFGC_EMULATE_GRAPHS", "flat");
        CHECK(gpu::graphSupport(support) == gpu::success);
        CHECK(support == gpu::GraphSupport::Flat);
    }
    {
        const Environment none("SDFGC_EMULATE_GRAPHS", "none");
        CHECK(gpu::graphSupport(support) == gpu::success);
        CHECK(support == gpu::GraphSupport::None);
        gpu::GraphHandle graph = nullptr;
        CHECK(gpu::graphCreate(graph) == gpu::notSupported);
    }
    const Environment fails("SDFGC_EMULATE_GRAPHS", "fail-instantiate");
    const Plan plan;
    gpu::GraphExec exec = nullptr;
    CHECK(gpu::graphInstantiate(exec, plan.graph) == gpu::outOfMemory);
}

TEST_CASE("a missing edge is found whichever node comes first") {
    const auto run = [](auto fill, const char *report) {
        underSeeds([&] {
            const Device<double> a(four, "A"), b(four, "B");
            Plan plan;
            fill(plan, a.data, b.data);
            plan.instantiate();
            plan.launch();
            REQUIRE(gpu::deviceSynchronize() == gpu::success);
            CHECK(gpu::emulate::reportCount() == 1);
            reported(report);
            plan.launch();
            REQUIRE(gpu::deviceSynchronize() == gpu::success);
            CHECK(gpu::emulate::reportCount() == 1); // one report is enough
        });
    };
    run(
        [](Plan &plan, double *a, double *b) {
            plan.kernel<scaleAll>("writes", {}, 4, b, a, 2.0, 4);
            plan.kernel<addOne>("reads", {}, 1, a + 3, b + 3);
        },
        "missing edge: kernel reads (map m) reads 'A' that kernel writes (map m) writes, and neither comes before the other in "
        "graph g");
    run(
        [](Plan &plan, double *a, double *b) {
            plan.kernel<set>("one", {}, 1, a + 1, 1.0);
            plan.kernel<set>("two", {}, 1, a + 1, 2.0);
            plan.kernel<set>("three", {}, 1, b + 1, 2.0);
        },
        "missing edge: kernel one (map m) writes 'A' that kernel two (map m) writes, too, and neither comes before the other");
    run(
        [](Plan &plan, double *a, double *b) {
            gpu::GraphNode copy = nullptr, fill = nullptr;
            REQUIRE(gpu::graphAddMemcpyNode1D(copy, plan.graph, nullptr, 0, b, a, 32, gpu::CopyKind::DeviceToDevice) ==
                    gpu::success);
            REQUIRE(gpu::graphAddMemsetNode(fill, plan.graph, nullptr, 0, {a, 0, 0, 1, 8, 1}) == gpu::success);
        },
        "missing edge: the copy of 'A' to 'B' reads 'A' that the fill of 'A' writes, and neither comes before the other in graph "
        "g");
}

TEST_CASE("no edge is missing between halves of an array, readers, and atomic updates") {
    underSeeds([] {
        const Device<double> a(four, "A"), b(four, "B"), sum(std::vector<double>{0}, "sum");
        const Device<int> counter(std::vector<int>{0}, "counter");
        Plan plan;
        plan.kernel<scaleAll>("low", {}, 2, a.data, b.data, 2.0, 2);
        plan.kernel<scaleAll>("high", {}, 2, a.data + 2, b.data + 2, 3.0, 2);
        plan.kernel<count>("count", {}, 7, counter.data, sum.data);
        plan.kernel<count>("count too", {}, 8, counter.data, sum.data);
        plan.instantiate();
        for (int i = 0; i < 3; ++i)
            plan.launch();
        CHECK(b.get() == std::vector<double>{2, 4, 9, 12});
        CHECK(counter.get()[0] == 45);
        CHECK(sum.get()[0] == 22.5);
        CHECK(gpu::emulate::reportCount() == 0);
    });
}

TEST_CASE("looking for missing edges leaves no trace in page-locked memory") {
    underSeeds([] {
        double *host = nullptr;
        REQUIRE(gpu::mallocHost(&host, 64, "host") == gpu::success);
        std::fill_n(host, 8, 0.0);
        const Device<double> out(std::vector<double>(4, 0.0), "out");
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        Plan plan;
        plan.kernel<addInside>("one", {}, 1, Place{host}, out.data, 0); // both write to the same part of `out`, so they run twice
        plan.kernel<addInside>("two", {}, 1, Place{host + 1}, out.data, 1);
        plan.kernel<addOne>("direct", {}, 1, host + 2, host + 2);
        plan.instantiate();
        plan.launch();
        plan.launch();
        CHECK(out.get() == std::vector<double>{2, 2, 0, 0});
        CHECK(host[0] == 2);
        CHECK(host[1] == 2);
        CHECK(host[2] == 2);
        CHECK(gpu::emulate::reportCount() == 0);
        REQUIRE(gpu::freeHost(host) == gpu::success);
    });
}

TEST_CASE("halves of large arrays that meet within a part need no edge; one element too much does") {
    for (const int64_t overlap : {0, 1}) {
        const Fresh fresh(1);
        const int64_t n = 200000, half = n / 2;
        const Device<double> a(std::vector<double>(size_t(n), 1.0), "A"), b(size_t(n), "B");
        Plan plan;
        gpu::GraphNode nodes[2] = {};
        const Arguments<scaleAll> low(a.data, b.data, 2.0, half + overlap), high(a.data + half, b.data + half, 3.0, half);
        const gpu::Dim3 grid(gpu::blocks(half + 1, 256));
        REQUIRE(gpu::graphAddKernelNode(nodes[0], plan.graph, nullptr, 0, low.node({.name = "low"}, grid, 256)) == gpu::success);
        REQUIRE(gpu::graphAddKernelNode(nodes[1], plan.graph, nullptr, 0, high.node({.name = "high"}, grid, 256)) == gpu::success);
        plan.instantiate();
        plan.launch();
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        CHECK(gpu::emulate::reportCount() == overlap);
        const std::vector<double> result = b.get();
        CHECK(result[0] == 2);
        CHECK(result[size_t(n) - 1] == 3);
    }
}

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
TEST_CASE("kernels of graphs fault like others") {
    underSeeds([] {
        const Device<double> a(four, "A"), b(four, "B");
        Plan plan;
        plan.kernel<scaleAll>("far", {}, 32, a.data, b.data + 1000, 2.0, 32);
        plan.instantiate();
        (void)gpu::graphLaunch(plan.exec, nullptr);
        CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
        reported("past the end of 'B' (32 bytes)");
    });
}
#endif

TEST_CASE("a graph that keeps freed memory is reported") {
    underSeeds([] {
        Device<double> a(four, "A");
        const Device<double> b(four, "B");
        Plan plan;
        plan.kernel<addOne>("k", {}, 1, a.data, b.data);
        plan.instantiate();
        a.release();
        CHECK(gpu::graphLaunch(plan.exec, nullptr) == gpu::illegalAddress);
        reported("use after free: argument 0 of kernel k (map m) points to 'A' (32 bytes), which was freed by free");
    });
}
