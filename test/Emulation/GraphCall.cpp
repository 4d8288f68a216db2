// Library calls as graph nodes: capturing streams (gpu/graph.h), and regions with such calls (gpu_graph.h).
#include "GraphRegion.h"

#include "sdfgc/rt/gpu_blas.h"

#include <functional>
#include <thread>

namespace {

namespace blas = gpu::blas;
using region::Full;
using region::underSeeds;

/// B = A.
SDFGC_KERNEL void copy(const double *A, double *B) { B[threadIdx.x] = A[threadIdx.x]; }
/// The flag is true as long as the sum is small.
SDFGC_KERNEL void look(const double *sum, bool *go) { *go = *sum < 100; }

/// A stream that captures until the end of this object.
struct Capture {
    StreamOf stream;
    Capture() { REQUIRE(gpu::streamBeginCapture(stream) == gpu::success); }
    gpu::GraphHandle end(const char *name = "recorded") {
        gpu::GraphHandle plan = nullptr;
        REQUIRE(gpu::streamEndCapture(stream, plan, name) == gpu::success);
        return plan;
    }
    /// Ends the capture that the test has broken; the report contains `text`.
    void isBroken(const std::string &text) {
        gpu::GraphHandle plan = nullptr;
        CHECK(gpu::streamEndCapture(stream, plan) == gpu::captureInvalidated);
        CHECK(plan == nullptr);
        reported(text);
        bool capturing = true;
        CHECK(gpu::streamIsCapturing(stream, capturing) == gpu::success);
        CHECK(!capturing);
    }
};

/// A library with one function, whose behaviour the test chooses.
struct Library {
    std::function<void(gpu::Stream)> body;
    int opened = 0, lent = 0, returned = 0;
    size_t workspaceBytes() { return ++opened, 64; }
    void lend(void *memory, size_t) { ++(memory ? lent : returned); }
};
struct Work {
    void operator()(Library &library, gpu::Stream stream) const { library.body(stream); }
};

/// D = alpha (A B), of 10 x 10 matrices, then E = D.
struct Inputs {
    const double *A, *B;
    double *D, *E;
    double alpha;
};
struct Handle {
    gpu::Program program;
    gpu::Blas library;
    gpu::Buffer<double> D{"D", 100}, E{"E", 100};
    gpu::Graph graph;

    explicit Handle(int entries = 8) : graph("step", entries) { program.open(2, 0); }
    ~Handle() { (void)gpu::deviceSynchronize(); }

    void call(const Full &A, const Full &B, double alpha) {
        const Inputs all{A.data, B.data, D.data(), E.data(), alpha};
        graph.run(
            program, 0, all,
            [this](gpu::GraphNodes &g, const Inputs &in) {
                const int n0 = g.call({.name = "gemm", .element = "state s, tasklet t"}, {}, library, blas::gemm, gpu::Op::None,
                                      gpu::Op::None, 10, 10, 10, in.alpha, in.A, 10, in.B, 10, 0, in.D, 10);
                g.kernel<copy>({.name = "copy"}, {n0}, 1, 100, in.D, in.E);
            },
            [&] {
                library.gemm(program.stream(0), gpu::Op::None, gpu::Op::None, 10, 10, 10, alpha, A.data, 10, B.data, 10, 0,
                             D.data(), 10);
                program.launch<copy>(0, {.name = "copy"}, 1, 100, D.data(), E.data());
            });
    }
    /// The value that all elements of E have.
    double result() {
        program.synchronise(0);
        std::vector<double> values(100);
        CHECK(gpu::memcpySync(values.data(), E.data(), sizeof(double) * 100, gpu::CopyKind::DeviceToHost) == gpu::success);
        CHECK(values == std::vector<double>(100, values[0]));
        return values[0];
    }
    const gpu::GraphInfo &info() const { return graph.info(); }
};

} // namespace

TEST_CASE("what a stream records runs when a graph with it is launched") {
    underSeeds([] {
        const Full x(2), y(3);
        Plan plan;
        gpu::Blas library;
        {
            Capture capture;
            library.axpy(capture.stream, 100, 10, x.data, 1, y.data, 1);
            library.scal(capture.stream, 100, 2, y.data, 1);
            bool capturing = false;
            CHECK(gpu::streamIsCapturing(capture.stream, capturing) == gpu::success);
            CHECK(capturing);
            const gpu::GraphHandle child = capture.end();
            gpu::GraphNode node = nullptr, second = nullptr;
            CHECK(gpu::graphAddChildGraphNode(node, plan.graph, nullptr, 0, child) == gpu::success);
            CHECK(gpu::graphAddChildGraphNode(second, plan.graph, &node, 1, child) == gpu::success);
            CHECK(gpu::graphDestroy(child) == gpu::success); // the node has a copy
        }
        CHECK(y.get() == std::vector<double>(100, 3));
        plan.instantiate();
        plan.launch();
        CHECK(y.get() == std::vector<double>(100, ((3 + 20) * 2 + 20) * 2));
    });
}

TEST_CASE("nothing recorded is an empty node") {
    const Fresh fresh;
    Plan plan;
    Capture capture;
    const gpu::GraphHandle child = capture.end();
    gpu::GraphNode node = nullptr;
    CHECK(gpu::graphAddChildGraphNode(node, plan.graph, nullptr, 0, child) == gpu::success);
    CHECK(gpu::graphDestroy(child) == gpu::success);
    plan.instantiate();
    plan.launch();
    CHECK(gpu::graphNodeSetEnabled(plan.exec, node, false) == gpu::invalidValue);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("what is no call of a library breaks a capture") {
    const Fresh fresh;
    const Full x(1);
    const EventOf event;
    void *memory = nullptr;
    const auto breaks = [](const char *text, auto body) {
        Capture capture;
        CHECK(body(capture.stream.stream) == gpu::captureUnsupported);
        capture.isBroken(std::string("capture: ") + text + " while stream ");
    };
    const char *const other = "something other than a library's call is queued, or waited for,";
    breaks(other, [&](gpu::Stream s) { return gpu::launch<copy>({.name = "copy"}, 1, 100, 0, s, x.data, x.data); });
    breaks(other, [&](gpu::Stream s) { return gpu::memsetAsync(x.data, 0, 8, s); });
    breaks(other, [&](gpu::Stream s) { return gpu::eventRecord(event, s); });
    breaks(other, [&](gpu::Stream s) { return gpu::mallocAsync(&memory, 8, s); });
    breaks(other, [&](gpu::Stream s) { return gpu::streamSynchronize(s); });
    breaks("memory is allocated", [&](gpu::Stream) { return gpu::malloc(&memory, 8); });
    breaks("memory is allocated", [&](gpu::Stream) { return gpu::mallocHost(&memory, 8); });
    breaks("the device is waited for", [&](gpu::Stream) { return gpu::deviceSynchronize(); });
    CHECK(memory == nullptr);
}

TEST_CASE("captures that cannot be") {
    const Fresh fresh;
    gpu::GraphHandle child = nullptr;
    gpu::GraphNode node = nullptr;
    CHECK(gpu::streamBeginCapture(nullptr) == gpu::captureUnsupported);
    reported("capture: the default stream cannot be captured");
    {
        const StreamOf stream;
        CHECK(gpu::streamEndCapture(stream, child) == gpu::illegalState);
        reported("is not captured, and its capture ends");
    }
    {
        Capture capture;
        CHECK(gpu::streamBeginCapture(capture.stream) == gpu::illegalState);
        reported("is captured already");
        CHECK(gpu::graphDestroy(capture.end()) == gpu::success);
    }
    { const Capture abandoned; }
    reported("is destroyed while it is captured");
    {
        const Environment none("SDFGC_EMULATE_GRAPHS", "none");
        const StreamOf stream;
        CHECK(gpu::streamBeginCapture(stream) == gpu::notSupported);
    }
    Plan plan, other;
    CHECK(gpu::graphAddChildGraphNode(node, plan.graph, nullptr, 0, plan.graph) == gpu::invalidValue);
    reported("child graph: graph g is that graph itself, and becomes a node of graph g");
    gpu::GraphHandle body = nullptr;
    Plan::conditional(other.graph, gpu::ConditionalKind::If, Plan::condition(other.graph, 0, true), {}, body);
    CHECK(gpu::graphAddChildGraphNode(node, plan.graph, nullptr, 0, other.graph) == gpu::invalidValue);
    reported("child graph: graph g has conditions, and becomes a node of graph g");
}

TEST_CASE("other threads may allocate while one captures") {
    const Fresh fresh;
    Capture capture;
    std::thread other([] {
        const Device<double> x(10);
        CHECK(gpu::deviceSynchronize() == gpu::success);
    });
    other.join();
    CHECK(gpu::graphDestroy(capture.end()) == gpu::success);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("a call is a node, with all of its arguments in the key") {
    underSeeds([] {
        Handle h;
        const Full one(1), two(2);
        const auto is = [&](const Full &A, const Full &B, double alpha, double value, int builds) {
            h.call(A, B, alpha);
            CHECK(h.result() == value);
            CHECK(h.info().builds == builds);
            CHECK(h.info().updates == 0);
        };
        is(one, two, 1, 20, 1);
        is(one, two, 1, 20, 1);
        is(two, two, 1, 40, 2); // another array
        is(one, two, 3, 60, 3); // another factor
        is(two, two, 1, 40, 3);
        is(one, two, 1, 20, 3);
        CHECK(h.info().entries == 3);
        CHECK(h.info().launches == 6);
        CHECK(h.info().nodesLast == 2);
        CHECK(h.info().hostPath == 0);
    });
}

TEST_CASE("calls work wherever graphs do, and on the host path") {
    for (const char *graphs : {"full", "flat", "none", "fail-instantiate"})
        underSeeds([&] {
            const Environment which("SDFGC_EMULATE_GRAPHS", graphs);
            Handle h;
            const Full one(1), two(2);
            h.call(one, two, 1);
            CHECK(h.result() == 20);
            h.call(one, two, 2);
            CHECK(h.result() == 40);
            CHECK(h.info().launches == (graphs == std::string("full") || graphs == std::string("flat") ? 2 : 0));
        });
}

TEST_CASE("the memory of evicted graphs stays until they have run") {
    underSeeds([] {
        Handle h(2);
        const Full one(1), two(2);
        for (int i = 0; i < 12; ++i)
            h.call(one, two, i % 4);
        CHECK(h.result() == 60);
        CHECK(h.info().evictions == 10);
    });
}

TEST_CASE("a call in a loop that the device decides on") {
    underSeeds([] {
        gpu::Blas library;
        const Full x(1), sum(0, 1);
        const Device<bool> go(1);
        CHECK(gpu::memsetSync(go.data, 1, 1) == gpu::success);
        const auto nodes = [&](gpu::GraphNodes &g) {
            g.loop({"loop"}, {}, go.data);
            const int n0 = g.call({"axpy"}, {}, library, blas::axpy, 1, 30, x.data, 1, sum.data, 1);
            g.kernel<look>({.name = "look"}, {n0}, 1, 1, sum.data, go.data);
            g.end();
        };
        region::Region region;
        region.run(nodes);
        CHECK(sum.get()[0] == 120);
        CHECK(gpu::memsetSync(go.data, 1, 1) == gpu::success);
        region.run(nodes);
        CHECK(sum.get()[0] == 150);
        CHECK(region.graph.info().builds == 1);
        CHECK(region.graph.info().launches == 2);
    });
}

TEST_CASE("a call that throws while it is recorded is named, and takes the host path") {
    const Fresh fresh;
    Library library;
    int host = 0;
    region::Region region;
    const gpu::GraphInfo &info = region.graph.info();
    const auto run = [&] {
        region.queue(
            0, [&](gpu::GraphNodes &g, int) { g.call({.name = "work", .element = "state s"}, {}, library, Work()); },
            [&] { ++host; });
    };
    library.body = [](gpu::Stream) { throw sdfgc::rt::Error(1, "it has no plan"); };
    run();
    CHECK(host == 1);
    CHECK(std::string(info.lastReason) == "adding call work (state s): it has no plan");
    run(); // no second attempt
    CHECK(host == 2);
    CHECK(library.opened == 1);
    CHECK(library.lent == 1);
    CHECK(library.returned == 1);
    CHECK(gpu::emulate::reportCount() == 0);

    region.graph.reset();
    library.body = [](gpu::Stream) { (void)gpu::deviceSynchronize(); };
    run();
    CHECK(host == 3);
    reported("capture: the device is waited for while stream ");
    CHECK(std::string(info.lastReason) ==
          "adding call work (state s): operation failed due to a previous error during capture (captureInvalidated)");

    gpu::emulate::clearErrors();
    region.graph.reset();
    library.body = [](gpu::Stream) {};
    run();
    CHECK(host == 3);
    CHECK(info.launches == 1);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("calls without an order are reported: with kernels, and with each other") {
    for (const bool withEdge : {false, true}) {
        const Fresh fresh(1);
        gpu::Blas library;
        const Full A(1), B(2), C(3), D(4);
        region::Region().run([&](gpu::GraphNodes &g) {
            const auto after = [&](int node) { return withEdge ? node : 0; };
            const int n0 = g.kernel<copy>({.name = "copy"}, {}, 1, 100, A.data, B.data);
            const int n1 = g.kernel<copy>({.name = "other"}, {n0}, 1, 100, A.data, C.data);
            g.call({.name = "axpy"}, {after(n1)}, library, blas::axpy, 100, 1, C.data, 1, D.data, 1);
        });
        if (withEdge)
            CHECK(gpu::emulate::reportCount() == 0);
        else
            reported("missing edge: call axpy reads ");
    }
    for (const bool withEdge : {false, true}) {
        const Fresh fresh(1);
        gpu::Blas library;
        const Full A(1), B(2), C(3);
        region::Region().run([&](gpu::GraphNodes &g) {
            const int n0 = g.call({.name = "scal"}, {}, library, blas::scal, 100, 2, A.data, 1);
            const int n1 = g.kernel<copy>({.name = "copy"}, {}, 1, 100, B.data, C.data);
            g.call({.name = "other"}, {withEdge ? n0 : n1}, library, blas::scal, 100, 2, B.data, 1);
        });
        if (withEdge)
            reported("that call other writes, and neither comes before the other in graph step");
        else
            reported("'workspace of graphs'");
    }
}
