// Regions that run as graphs (gpu_graph.h): which graphs are built, updated and evicted. Every test checks the counters.
#include "GraphRegion.h"

using namespace region;

namespace {

SDFGC_KERNEL void reverse(double *out) {
    SDFGC_DYNAMIC_SHARED(double, tile);
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

/// A launch of it: its threads and its bytes of shared memory.
struct Reverse {
    int64_t threads;
    size_t bytes;

    /// A kernel gets 48 KiB without a request; on the host path, requests are made by the caller.
    void launch(gpu::Program &program, double *out) const {
        REQUIRE(gpu::allowDynamicShared<reverse>(bytes) == gpu::success);
        program.done(gpu::launch<reverse>({.name = "reverse", .barriers = true}, 1, threads, bytes, program.stream(0), out),
                     "reverse");
    }
    bool isIn(const gpu::Buffer<double> &out) const {
        std::vector<double> values(static_cast<size_t>(threads));
        REQUIRE(gpu::memcpySync(values.data(), out.data(), values.size() * 8, gpu::CopyKind::DeviceToHost) == gpu::success);
        bool right = true;
        for (int64_t i = 0; i < threads; ++i)
            right = right && values[static_cast<size_t>(i)] == threads - 1 - i;
        return right;
    }
};

} // namespace

TEST_CASE("the first call builds, a thousand with other arrays, scalars and sizes build nothing more") {
    underSeeds([] {
        Handle h;
        const Full one(1), two(2);
        h.call(h.inputs(one.data, 3, 100), 1);
        CHECK(h.info().builds == 1);
        CHECK(h.info().updates == 0);
        CHECK(h.info().nodesLast == 4);
        for (int i = 0; i < 1000; ++i) {
            const bool odd = i % 2 == 1;
            h.call(h.inputs(odd ? one.data : two.data, 1.0 + i % 3, i % 4 < 2 ? 100 : 33), odd ? 1 : 2);
        }
        CHECK(h.info().builds == 1);
        CHECK(h.info().entries == 1);
        CHECK(h.info().launches == 1001);
        CHECK(h.info().evictions == 0);
        CHECK(h.info().hostPath == 0);
        CHECK(h.info().usedLast == 1);
        CHECK(std::string(h.info().lastReason).empty());
        CHECK(std::string(h.info().name) == "step");
        CHECK(h.info().iterationsLast == -1); // it has no loops
    });
}

TEST_CASE("a call updates the nodes that differ") {
    underSeeds([] {
        Handle h;
        const Full one(1), two(2);
        h.call(h.inputs(one.data, 3, 100), 1);
        const auto updates = [&](const Inputs &in, double value) {
            const int64_t before = h.info().updates;
            h.call(in, value);
            return h.info().updates - before;
        };
        CHECK(updates(h.inputs(one.data, 3, 100), 1) == 0);      // nothing differs
        CHECK(updates(h.inputs(two.data, 3, 100), 2) == 1);      // an array that one kernel uses
        CHECK(updates(h.inputs(two.data, 4, 100), 2) == 1);      // a scalar
        CHECK(updates(h.inputs(two.data, 4, 99), 2) == 4);       // the size that all use
        CHECK(updates(h.inputs(one.data, 3, 100), 1) == 4);      // and all of it restored
        CHECK(updates(h.inputs(one.data, 3, 100, 1.5), 1) == 1); // the value of the fill, which is a kernel argument
        CHECK(h.info().builds == 1);
    });
}

TEST_CASE("calls may be queued faster than they run") {
    underSeeds([] {
        Handle h;
        const Full one(1), two(2);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        double *const pinned = h.stage.data();
        for (int i = 0; i < 4; ++i) {
            Inputs in = h.inputs(i % 2 == 0 ? one.data : two.data, 10 + i, 25);
            in.stage = pinned + 25 * i;
            h.queue(in);
        }
        h.program.synchronise(0);
        CHECK(pinned[0] == 10.5);
        CHECK(pinned[25] == 22.5);
        CHECK(pinned[50] == 12.5);
        CHECK(pinned[75] == 26.5);
        CHECK(h.info().builds == 1);
    });
}

TEST_CASE("buffers that grow cost one round of updates") {
    underSeeds([] {
        Handle h;
        const Full one(1, 1000);
        h.call(h.inputs(one.data, 3, 100), 1);
        h.program.finish();
        h.T.reserve(1000);
        h.B.reserve(1000);
        h.stage.reserve(1000);
        h.call(h.inputs(one.data, 3, 1000), 1);
        CHECK(h.info().builds == 1);
        CHECK(h.info().updates == 4);
    });
}

TEST_CASE("nothing to do launches nothing; empty grids and copies make another graph") {
    underSeeds([] {
        Handle h;
        const Full one(1);
        h.call(h.inputs(one.data, 3, 0), 1);
        CHECK(h.info().builds == 0);
        CHECK(h.info().launches == 0);
        CHECK(h.info().nodesLast == 0);
        CHECK(h.info().hostPath == 0);
        struct Two {
            Inputs in;
            int64_t copied;
        };
        const auto run = [&](int64_t N, int64_t copied) {
            const Two two{h.inputs(one.data, 3, N), copied};
            h.graph.run(
                h.program, 0, two,
                [](gpu::GraphNodes &g, const Two &t) {
                    const int last =
                        g.kernel<scale>({.name = "scale"}, {}, gpu::blocks(t.in.N, 32), 32, t.in.A, t.in.T, t.in.factor, t.in.N);
                    g.copyToHost({last}, t.in.stage, t.in.T, t.copied);
                },
                [] { FAIL("the host path"); });
            h.program.synchronise(0);
        };
        run(100, 100);
        CHECK(h.info().nodesLast == 2);
        run(100, 0);
        CHECK(h.info().nodesLast == 1);
        run(50, 50);
        run(100, -3);
        run(100, 100);
        CHECK(h.info().builds == 2);
        CHECK(h.info().entries == 2);
        CHECK(h.info().launches == 5);
        run(0, 100);
        CHECK(h.info().builds == 3);
        CHECK(h.info().nodesLast == 1);
    });
}

TEST_CASE("who waits for an absent node waits for what that one waited for") {
    underSeeds([] {
        Handle h;
        const Full one(1);
        struct Middle {
            Inputs in;
            int64_t middle;
        };
        for (const int64_t middle : {100, 0, 0}) {
            const Middle m{h.inputs(one.data, 3, 100), middle};
            h.graph.run(
                h.program, 0, m,
                [](gpu::GraphNodes &g, const Middle &of) {
                    const Inputs &in = of.in;
                    const int a = g.kernel<scale>({.name = "a"}, {}, 4, 32, in.A, in.T, in.factor, in.N);
                    const int b = g.kernel<add>({.name = "b"}, {a}, gpu::blocks(of.middle, 32), 32, in.A, in.T, of.middle);
                    const int c = g.kernel<add>({.name = "c"}, {b}, gpu::blocks(of.middle, 32), 32, in.A, in.T, of.middle);
                    g.copyToHost({c, b}, in.stage, in.T, in.N);
                },
                [] { FAIL("the host path"); });
            h.program.synchronise(0);
            CHECK(h.stage[99] == (middle > 0 ? 5 : 3));
        }
        CHECK(h.info().builds == 2);
        CHECK(h.info().nodesLast == 2);
    });
}

TEST_CASE("the least recently used graph makes room, also while it may still run") {
    underSeeds([] {
        Handle h;
        const Full one(1);
        struct Shape {
            Inputs in;
            int copies;
        };
        const auto run = [&](int copies) { // as many nodes as there are copies
            const Shape shape{h.inputs(one.data, 3, 100), copies};
            h.graph.run(
                h.program, 0, shape,
                [](gpu::GraphNodes &g, const Shape &s) {
                    int last = g.kernel<scale>({.name = "scale"}, {}, 4, 32, s.in.A, s.in.T, s.in.factor, s.in.N);
                    for (int i = 0; i < s.copies; ++i)
                        last = g.copyOnDevice({last}, s.in.B, s.in.T, s.in.N);
                },
                [] { FAIL("the host path"); });
        };
        for (int shape = 0; shape < 8; ++shape)
            run(shape);
        run(0); // now the first graph is the most recent
        CHECK(h.info().entries == 8);
        CHECK(h.info().evictions == 0);
        run(8);
        CHECK(h.info().entries == 8);
        CHECK(h.info().evictions == 1);
        CHECK(h.info().builds == 9);
        run(0);
        CHECK(h.info().builds == 9);
        run(1); // which was evicted
        CHECK(h.info().builds == 10);
        CHECK(h.info().evictions == 2);
        for (int i = 0; i < 30; ++i)
            run(i % 10);
        CHECK(h.info().entries == 8);
        CHECK(h.info().launches == 42);
    });
}

TEST_CASE("the caller's streams come and go between calls") {
    underSeeds([] {
        Handle h(1);
        const Full one(1);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        for (int i = 0; i < 4; ++i) {
            const StreamOf callers;
            REQUIRE(h.program.setStream(0, callers));
            h.call(h.inputs(one.data, 3 + i, 100, i % 2 == 0 ? 0.0 : 1.5), 1); // a fill, then a kernel: another graph
        }
        CHECK(h.info().builds == 4);
        CHECK(h.info().evictions == 3);
        const StreamOf last;
        REQUIRE(h.program.setStream(0, last));
        h.queue(h.inputs(one.data, 3, 100, 1.5));
        h.program.finish();
        CHECK(h.info().builds == 4);
        REQUIRE(h.program.setStream(0, nullptr));
    });
}

TEST_CASE("fills of other values are updates where they stay fills") {
    underSeeds([] {
        Handle h;
        Device<float> a(100, "a");
        const auto run = [&](float value, int64_t count) {
            struct Values {
                float *to;
                float value;
                int64_t count;
            };
            h.graph.run(
                h.program, 0, Values{a.data, value, count},
                [](gpu::GraphNodes &g, const Values &v) { g.fill({}, v.to, v.count, v.value); }, [] { FAIL("the host path"); });
            h.program.synchronise(0);
        };
        run(1.5f, 100);
        CHECK(a.get() == std::vector<float>(100, 1.5f));
        run(2.5f, 100);
        CHECK(a.get() == std::vector<float>(100, 2.5f));
        run(3.5f, 50);
        CHECK(a.get()[49] == 3.5f);
        CHECK(a.get()[50] == 2.5f);
        CHECK(h.info().builds == 1);
        CHECK(h.info().updates == 2);
        run(0.0f, 100); // bytes
        CHECK(a.get() == std::vector<float>(100, 0.0f));
        CHECK(h.info().builds == 2);
    });
}

TEST_CASE("rows that change place, and launches that become cooperative, are other graphs") {
    onDevices([](const DeviceKind &on) {
        Handle h;
        const Full one(1);
        struct Place {
            Inputs in;
            int64_t offset;
            bool together;
        };
        const auto run = [&](int64_t offset, bool together) {
            const Place place{h.inputs(one.data, 2, 100), offset, together};
            h.graph.run(
                h.program, 0, place,
                [](gpu::GraphNodes &g, const Place &p) {
                    const int n = g.kernel<scale>({.name = "scale", .cooperative = p.together}, {}, 4, 32, p.in.A, p.in.T,
                                                  p.in.factor, p.in.N);
                    const int c = g.copyOnDevice({n}, p.in.B + p.offset, p.in.T, 2, {3, 10, 5});
                    g.copyToHost({c}, p.in.stage, p.in.B + p.offset, 1);
                },
                [&] {
                    const Inputs &in = place.in;
                    h.program.launch<scale>(0, {.name = "scale", .cooperative = together}, 4, 32, in.A, in.T, in.factor, in.N);
                    h.program.copyOnDevice(0, in.B + offset, in.T, 2, {3, 10, 5});
                    h.program.copyToHost(0, in.stage, in.B + offset, 1);
                });
            h.program.synchronise(0);
            CHECK(h.stage[0] == 2);
            h.stage[0] = 0;
        };
        run(0, false);
        run(1, false);
        run(0, false);
        checkCounts(h.info(), {.calls = 3, .builds = 2, .updates = 0, .nodes = 3}, on);
        run(0, true);
        run(1, true);
        run(0, false);
        checkCounts(h.info(), {.calls = 6, .builds = 4, .updates = 0, .nodes = 3}, on);
    });
}

TEST_CASE("copies on the device that begin in the middle of 16 bytes are another graph") {
    underSeeds([] {
        Handle h;
        const Full one(1);
        struct Place {
            Inputs in;
            int64_t to, from;
        };
        const auto run = [&](int64_t to, int64_t from) {
            h.graph.run(
                h.program, 0, Place{h.inputs(one.data, 2, 100), to, from},
                [](gpu::GraphNodes &g, const Place &p) {
                    const int n = g.kernel<scale>({"scale"}, {}, 4, 32, p.in.A, p.in.T, p.in.factor, p.in.N);
                    const int c = g.copyOnDevice({n}, p.in.B + p.to, p.in.T + p.from, 50);
                    g.copyToHost({c}, p.in.stage, p.in.B + p.to, 50);
                },
                [] { FAIL("the host path"); });
            h.program.synchronise(0);
            CHECK(h.stage[0] == 2);
            CHECK(h.stage[49] == 2);
            CHECK(h.info().nodesLast == 3);
        };
        run(0, 0);
        run(2, 4);
        CHECK(h.info().builds == 1);
        run(1, 1);
        run(0, 1);
        run(3, 2);
        CHECK(h.info().builds == 2);
        run(4, 2);
        CHECK(h.info().entries == 2);
    });
}

TEST_CASE("kernels with different dynamic shared memory, in both orders") {
    for (const bool largeFirst : {false, true})
        onDevices([&](const DeviceKind &on) {
            REQUIRE(gpu::allowDynamicShared<reverse>(0) == gpu::success); // as if there had been no request
            Handle h;
            struct Two {
                double *a, *b;
                Reverse first, second;
            };
            const auto run = [&](const Reverse &first, const Reverse &second) {
                h.graph.run(
                    h.program, 0, Two{h.T.data(), h.B.data(), first, second},
                    [](gpu::GraphNodes &g, const Two &two) {
                        const gpu::Launch how{.name = "reverse", .barriers = true};
                        const int n = g.kernelShared<reverse>(how, {}, 1, two.first.threads, two.first.bytes, two.a);
                        g.kernelShared<reverse>(how, {n}, 1, two.second.threads, two.second.bytes, two.b);
                    },
                    [&] {
                        first.launch(h.program, h.T.data());
                        second.launch(h.program, h.B.data());
                    });
                h.program.synchronise(0);
                CHECK(first.isIn(h.T));
                CHECK(second.isIn(h.B));
            };
            const Reverse large{100, size_t(50) << 10}, small{4, 64};
            run(largeFirst ? large : small, largeFirst ? small : large);
            run(largeFirst ? large : small, largeFirst ? small : large);
            checkCounts(h.info(), {.calls = 2, .builds = 1, .updates = 0, .nodes = 2}, on);
            run(largeFirst ? small : large, largeFirst ? large : small); // the reverse order
            run(small, small);
            const Reverse larger{50, size_t(60) << 10};
            run(larger, small);
            checkCounts(h.info(), {.calls = 5, .builds = 1, .updates = 2 + 1 + 1, .nodes = 2}, on);
        });
}

TEST_CASE("a kernel's limit of dynamic shared memory does not sink") {
    onDevices([](const DeviceKind &on) {
        REQUIRE(gpu::allowDynamicShared<reverse>(0) == gpu::success);
        Handle h;
        const Reverse large{10, 60 << 10}, small{10, 50 << 10};
        const auto run = [&](double *out) {
            struct Out {
                double *p;
                Reverse first, second;
            };
            h.graph.run(
                h.program, 0, Out{out, large, small},
                [](gpu::GraphNodes &g, const Out &to) {
                    const gpu::Launch how{.name = "reverse", .barriers = true};
                    const int first = g.kernelShared<reverse>(how, {}, 1, to.first.threads, to.first.bytes, to.p);
                    g.kernelShared<reverse>(how, {first}, 1, to.second.threads, to.second.bytes, to.p);
                },
                [&] {
                    large.launch(h.program, out);
                    small.launch(h.program, out);
                });
            h.program.synchronise(0);
        };
        run(h.T.data());
        run(h.B.data());
        CHECK(large.isIn(h.B));
        checkCounts(h.info(), {.calls = 2, .builds = 1, .updates = 2, .nodes = 2}, on);
        if (!*on.reason) // a launch without a request has the size that the first node was given
            CHECK(gpu::launch<reverse>({.name = "reverse", .barriers = true}, 1, large.threads, large.bytes, h.program.stream(0),
                                       h.T.data()) == gpu::success);
    });
}

TEST_CASE("a region is one operation of its stream: events order it with others, and two regions overlap") {
    underSeeds([] {
        Handle one, two;
        const Full a(1), b(2);
        const EventOf done;
        for (int i = 0; i < 3; ++i) {
            const Inputs first = one.inputs(a.data, 3 + i, 100), second = two.inputs(b.data, 5 + i, 100);
            one.queue(first, 0);
            two.queue(second, 1);
            // A kernel in the second region's stream uses the first one's result.
            REQUIRE(gpu::eventRecord(done, one.program.stream(0)) == gpu::success);
            REQUIRE(gpu::streamWaitEvent(two.program.stream(1), done) == gpu::success);
            two.program.launch<add>(1, {.name = "add"}, 4, 32, one.B.data(), two.B.data(), int64_t(100));
            two.program.copyToHost(1, two.stage.data(), two.B.data(), 100);
            two.program.synchronise(1);
            CHECK(two.stage[99] == (3 + i + 0.5) + (2 * (5 + i) + 0.5));
            one.program.finish();
        }
        CHECK(one.info().builds == 1);
        CHECK(two.info().builds == 1);
    });
}

TEST_CASE("two regions back to back in one stream, and what comes between and behind") {
    underSeeds([] {
        Handle h;
        gpu::Graph second("second");
        const Full a(1);
        for (int i = 0; i < 3; ++i) {
            const Inputs in = h.inputs(a.data, 3 + i, 100);
            h.queue(in);
            h.program.launch<add>(0, {.name = "between"}, 4, 32, in.A, in.B, int64_t(100));
            second.run(
                h.program, 0, in,
                [](gpu::GraphNodes &g, const Inputs &of) {
                    const int n =
                        g.kernel<add>({.name = "twice"}, {}, 4, 32, of.T, of.B, of.N); // reads and writes the result of the first
                    g.copyToHost({n}, of.stage, of.B, of.N);
                },
                [] { FAIL("the host path"); });
            h.program.launch<add>(0, {.name = "behind"}, 4, 32, in.A, in.B, int64_t(100));
            h.program.synchronise(0);
            CHECK(h.stage[50] == (3 + i) * 2 + 1.5);
        }
        CHECK(h.info().builds == 1);
        CHECK(second.info().builds == 1);
        CHECK(second.info().nodesLast == 2);
    });
}

TEST_CASE("a refused update makes the graph anew") {
    underSeeds([] {
        Handle h;
        const auto run = [&](double *to) { // page-locked memory instead of device memory
            struct To {
                double *p;
            };
            h.graph.run(
                h.program, 0, To{to}, [](gpu::GraphNodes &g, const To &in) { g.fill({}, in.p, 10, 0.0); },
                [] { FAIL("the host path"); });
            h.program.synchronise(0);
        };
        run(h.T.data());
        run(h.stage.data());
        CHECK(h.stage[9] == 0);
        CHECK(h.info().builds == 2);
        CHECK(h.info().entries == 1);
        CHECK(h.info().updates == 0);
        CHECK(h.info().evictions == 0);
        CHECK(gpu::getLastError() == gpu::success);
    });
}
