// Regions that run as graphs (gpu_graph.h): when the host path runs instead, how a region ends, and which information is recorded
// about it.
#include "GraphRegion.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace region;

namespace {

std::string contents(const std::filesystem::path &file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

/// The text that `body` writes to the standard error stream.
template <class Body> std::string standardError(const std::filesystem::path &folder, Body body) {
    const std::string file = folder / "error";
    std::fflush(stderr);
    const int before = dup(2), now = open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(now, 2);
    body();
    std::fflush(stderr);
    dup2(before, 2);
    close(now);
    close(before);
    return contents(file);
}

struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "sdfgc-graphs-XXXXXX";
        REQUIRE(mkdtemp(name.data()));
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
};

} // namespace

TEST_CASE("every reason for the host path, with the same results") {
    const auto fallsBack = [](Handle &h, const char *reason) {
        const Full one(1), two(2);
        h.call(h.inputs(one.data, 3, 100), 1);
        h.call(h.inputs(two.data, 3, 100), 2);
        CHECK(std::string(h.info().lastReason) == reason);
        CHECK(h.info().hostPath == 2);
        CHECK(h.info().usedLast == 0);
        CHECK(h.info().nodesLast == 0);
        CHECK(h.info().builds == 0);
        CHECK(h.info().launches == 0);
        CHECK(gpu::getLastError() == gpu::success);
    };
    underSeeds([&] {
        const Environment off("SDFGC_GPU_GRAPH", "0");
        Handle h;
        fallsBack(h, "SDFGC_GPU_GRAPH is 0");
    });
    underSeeds([&] {
        const Environment none("SDFGC_EMULATE_GRAPHS", "none");
        Handle h;
        fallsBack(h, "the device's driver has no graphs");
    });
    underSeeds([&] {
        const Environment fails("SDFGC_EMULATE_GRAPHS", "fail-instantiate");
        Handle h;
        fallsBack(h, "making the graph executable: out of memory (outOfMemory)");
    });
    onDevices([&](const DeviceKind &on) {
        const bool disabled = on.variable == std::string("SDFGC_GPU_GRAPH"), used = !*on.reason;
        const char *const captured = disabled ? on.reason : "the caller captures the stream";
        Handle h;
        gpu::emulate::pretendCapture(h.program.stream(0), true);
        fallsBack(h, captured);
        gpu::emulate::pretendCapture(h.program.stream(0), false);
        const Full one(1);
        h.call(h.inputs(one.data, 3, 100), 1);
        CHECK(h.info().builds == used);
        CHECK(h.info().launches == used);
        CHECK(h.info().usedLast == used);
        CHECK(h.info().hostPath == (used ? 2 : 3));
        CHECK(std::string(h.info().lastReason) == (used ? captured : on.reason));
    });
    underSeeds([&] { // as with HIP: everything that flat regions need is available
        const Environment flat("SDFGC_EMULATE_GRAPHS", "flat");
        Handle h;
        const Full one(1);
        h.call(h.inputs(one.data, 3, 100), 1);
        CHECK(h.info().launches == 1);
    });
}

TEST_CASE("where memory for graphs runs out, what earlier ones hold is given back first") {
    const Environment full("SDFGC_EMULATE_GRAPHS", "fail-until-trimmed");
    underSeeds([] {
        Handle h;
        const Full one(1);
        for (const double start : {0.0, 0.5, 0.0}) // two graphs: a fill with zeros is a fill of bytes
            h.call(h.inputs(one.data, 3, 100, start), 1);
        CHECK(h.info().builds == 2);
        CHECK(h.info().launches == 3);
        CHECK(h.info().hostPath == 0);
        CHECK(std::string(h.info().lastReason).empty());
        CHECK(gpu::getLastError() == gpu::success);
    });
}

TEST_CASE("a node that cannot be is named, and not tried again") {
    const Fresh fresh;
    Handle h;
    int host = 0;
    const auto run = [&] {
        h.graph.run(
            h.program, 0, h.inputs(nullptr, 1, 1),
            [](gpu::GraphNodes &g, const Inputs &in) {
                g.kernel<scale>({.name = "scale", .element = "state s, map m"}, {}, 1, 2048, in.A, in.T, in.factor, in.N);
            },
            [&] { ++host; });
    };
    run();
    CHECK(host == 1);
    CHECK(gpu::emulate::reportCount() == 1);
    CHECK(std::string(h.info().lastReason) ==
          "adding kernel scale (state s, map m): invalid configuration argument (invalidConfiguration)");
    run();
    CHECK(host == 2);
    CHECK(gpu::emulate::reportCount() == 1);
}

TEST_CASE("where a graph is required, the host path is an error") {
    const Fresh fresh;
    const Environment required("SDFGC_GPU_GRAPH", "1");
    const Environment none("SDFGC_EMULATE_GRAPHS", "none");
    Handle h;
    const Full one(1);
    CHECK_THROWS_WITH(h.queue(h.inputs(one.data, 3, 100)), "graph step: the device's driver has no graphs");
    CHECK(h.info().hostPath == 1);
}

TEST_CASE("handles have graphs of their own") {
    underSeeds([] {
        Handle first, second;
        const Full one(1), two(2);
        for (int i = 0; i < 6; ++i) {
            first.call(first.inputs(one.data, i, 100), 1);
            second.call(second.inputs(two.data, i, 50), 2);
        }
        CHECK(first.info().builds == 1);
        CHECK(second.info().builds == 1);
    });
}

TEST_CASE("two threads with a handle each") {
    const Fresh fresh(1);
    const Full one(1);
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    int64_t right[2] = {0, 0};
    const auto work = [&](int which) {
        Handle h;
        for (int i = 0; i < 50; ++i) {
            h.queue(h.inputs(one.data, which * 1000 + i, 100));
            h.program.synchronise(0);
            right[which] += h.stage[99] == which * 1000 + i + 0.5;
        }
        right[which] += h.info().builds == 1;
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    CHECK(right[0] == 51);
    CHECK(right[1] == 51);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("initialising a handle again forgets its graphs and counts anew") {
    underSeeds([] {
        Handle h;
        const Full one(1);
        h.call(h.inputs(one.data, 3, 100), 1);
        h.queue(h.inputs(one.data, 4, 100)); // may still run
        h.graph.reset();
        CHECK(h.info().builds == 0);
        CHECK(h.info().entries == 0);
        CHECK(h.info().launches == 0);
        h.call(h.inputs(one.data, 3, 100), 1);
        CHECK(h.info().builds == 1);
    });
}

TEST_CASE("nothing is left behind") {
    for (uint64_t seed = 0; seed <= 4; ++seed) {
        const Fresh fresh(seed);
        gpu::initialise("p");
        {
            const auto h = std::make_unique<Handle>(2);
            const Full one(1);
            for (int i = 0; i < 6; ++i)
                h->queue(h->inputs(one.data, i, 100, i % 2 == 0 ? 0 : 1.5));
        }
        gpu::finalise("p");
        INFO("last report: " << gpu::emulate::lastReport());
        CHECK(gpu::emulate::reportCount() == 0);
    }
}

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
TEST_CASE("an error inside a replay is that of a call that follows") {
    for (uint64_t seed = 0; seed <= 4; ++seed) {
        INFO("seed " << seed);
        const Fresh fresh(seed);
        Handle h;
        const Full one(1);
        h.call(h.inputs(one.data, 3, 100), 1);
        Inputs in = h.inputs(one.data, 3, 100);
        in.T = h.T.data() + 4096; // beyond its end
        try {
            h.queue(in);
        } catch (const sdfgc::rt::Error &) {
        }
        CHECK_THROWS_AS(h.program.finish(), sdfgc::rt::Error);
        reported("past the end of 'T'");
        (void)h.program.takeError();
        CHECK_THROWS_AS(h.queue(h.inputs(one.data, 3, 100)), sdfgc::rt::Error);
        CHECK(h.program.takeError() == gpu::launchFailure);
    }
}
#endif

TEST_CASE("missing edges and stale arguments of regions are reported") {
    for (uint64_t seed = 0; seed <= 4; ++seed) {
        INFO("seed " << seed);
        const Fresh fresh(seed);
        Handle h;
        const Full one(1), two(2);
        const Inputs in = h.inputs(one.data, 3, 100);
        h.graph.run(
            h.program, 0, in,
            [](gpu::GraphNodes &g, const Inputs &i) {
                g.kernel<scale>({.name = "scale"}, {}, 4, 32, i.A, i.T, i.factor, i.N);
                g.kernel<add>({.name = "add"}, {}, 4, 32, i.T, i.B, i.N); // depends on nothing
            },
            [] { FAIL("the host path"); });
        h.program.synchronise(0);
        reported("missing edge: kernel add reads 'T' that kernel scale writes, and neither comes before the other in graph step");
        gpu::emulate::clearErrors();
        h.graph.reset();
        for (const double *A : {one.data, two.data}) {
            h.graph.run(
                h.program, 0, in,
                [&](gpu::GraphNodes &g, const Inputs &i) {
                    g.kernel<scale>({.name = "scale"}, {}, 4, 32, A, i.T, i.factor, i.N); // not from the inputs
                },
                [] { FAIL("the host path"); });
            h.program.synchronise(0);
        }
        CHECK(gpu::emulate::reportCount() == 1);
        reported("stale argument: kernel scale of graph step has 'allocation ");
    }
}

TEST_CASE("a node after one that does not exist is an error") {
    const Fresh fresh;
    gpu::GraphNodes nodes;
    nodes.begin(0);
    double *p = nullptr;
    CHECK_THROWS_WITH(nodes.copyOnDevice({0}, p, p, 1), "a node of a graph comes after one that does not exist");
    CHECK(nodes.copyOnDevice({}, p, p, 1) == 0);
    CHECK(nodes.copyOnDevice({0, 0}, p, p, 1) == 1);
    CHECK_THROWS_AS(nodes.copyOnDevice({-1}, p, p, 1), sdfgc::rt::Error);
    CHECK(nodes.size() == 2);
}

TEST_CASE("what is built, evicted and refused is said to who asks") {
    const Fresh fresh;
    const Folder folder;
    const Environment log("SDFGC_GPU_GRAPH_LOG", "1");
    const std::string text = standardError(folder.path, [] {
        Handle h(1);
        const Full one(1);
        h.call(h.inputs(one.data, 3, 100), 1);
        h.call(h.inputs(one.data, 4, 100), 1);
        h.call(h.inputs(one.data, 3, 100, 0.0), 1);
        gpu::emulate::pretendCapture(h.program.stream(0), true);
        h.call(h.inputs(one.data, 3, 100), 1);
        h.call(h.inputs(one.data, 3, 100), 1);
    });
    CHECK(text == "sdfgc: graph step: built number 1 of 4 nodes\n"
                  "sdfgc: graph step: evicted one of 4 nodes\n"
                  "sdfgc: graph step: built number 2 of 4 nodes\n"
                  "sdfgc: graph step: host path: the caller captures the stream\n");
}

TEST_CASE("graphs are drawn for who asks; a folder that is not there does not matter") {
    const Fresh fresh;
    const Folder folder;
    const Full one(1);
    {
        const Environment dot("SDFGC_GPU_GRAPH_DOT", folder.path.c_str());
        Handle h;
        h.call(h.inputs(one.data, 3, 100, 0.0), 1);
        h.call(h.inputs(one.data, 4, 100, 0.0), 1);
    }
    CHECK(contents(folder.path / "step.1.dot") == "digraph \"step\" {\n"
                                                  "    node [shape=box];\n"
                                                  "    n0 [label=\"fill\\n800 bytes\"];\n"
                                                  "    n1 [label=\"scale\\nstate s, map m\\n(4, 1, 1) x (32, 1, 1)\"];\n"
                                                  "    n2 [label=\"add\\nstate t, map m\\n(4, 1, 1) x (32, 1, 1)\"];\n"
                                                  "    n0 -> n2;\n"
                                                  "    n1 -> n2;\n"
                                                  "    n3 [label=\"device to host\\n800 bytes\"];\n"
                                                  "    n2 -> n3;\n"
                                                  "}\n");
    CHECK(!std::filesystem::exists(folder.path / "step.2.dot"));
    const std::string nowhere = folder.path / "nowhere";
    const Environment dot("SDFGC_GPU_GRAPH_DOT", nowhere.c_str());
    const std::string text = standardError(folder.path, [&] {
        Handle h;
        h.call(h.inputs(one.data, 3, 100), 1);
        h.call(h.inputs(one.data, 3, 100, 0.0), 1);
        CHECK(h.info().launches == 2);
    });
    CHECK(text == "sdfgc: graph step: cannot write " + nowhere + "/step.1.dot\n");
}

TEST_CASE("an unknown value of SDFGC_GPU_GRAPH is ignored, with one warning") {
    const Folder folder;
    const Fresh fresh(0);
    setenv("SDFGC_GPU_GRAPH", "2", 1);
    const std::string text = standardError(folder.path, [] {
        Handle one, two;
        const Full array(1);
        one.call(one.inputs(array.data, 3, 100), 1);
        CHECK(one.info().launches == 1);
    });
    unsetenv("SDFGC_GPU_GRAPH");
    CHECK(text == "sdfgc: SDFGC_GPU_GRAPH is neither 0 nor 1, and is ignored\n");
}
