#include "Analysis/Verify/Verified.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A and B of 20 elements, M of 4 x 5.
struct Arrays : Graph {
    Arrays() {
        symbol("N");
        array("A", "20");
        array("B", "20");
        array("M", "4, 5");
    }
    Edge *copyEdge(const char *from, const char *to, Memlet m) {
        return s->connect(access(from), "", access(to), "", std::move(m));
    }
    Edge *read(const char *from, const char *m) { return edge(access(from), "", tasklet("", "t"), "x", m); }
};

} // namespace

TEST_CASE("a memlet is of one end of its path") {
    Arrays g;
    g.read("A", "B[0]");
    CHECK(message(g) ==
          "the memlet is of `B`, but the edge connects `A` and `t` | name the container at one end of the memlet's path");
}

TEST_CASE("memlets of structure members name the member or the connector") {
    Arrays g;
    DataDesc s;
    s.kind = DataKind::Structure;
    s.members.emplace_back("x", std::make_unique<DataDesc>(DataDesc::array(ScalarKind::Float64, {4})));
    s.shape = {1};
    g.g.arrays.set("S", s);
    g.read("S", "S.x[2]");
    CHECK(reported(g) == "");
    g.read("S.x", "S.x[3]");
    CHECK(reported(g) == "");
    g.read("S", "S.y[2]");
    CHECK(reported(g) == "UnknownContainer");
}

TEST_CASE("subsets have the rank of their container") {
    Arrays g;
    g.read("M", "M[0]");
    CHECK(message(g) == "subset `0` has 1 dimensions, `M` has 2 | ");
    Arrays h;
    h.copyEdge("A", "M", copy("A[0:4]", "0:4"));
    CHECK(message(h) == "subset `0:4` has 1 dimensions, `M` has 2 | ");
}

TEST_CASE("subsets are in bounds") {
    Arrays g;
    Edge *e = g.read("A", "A[20]");
    CHECK(message(g) == "subset `20` is out of bounds of `A` in dimension 0: its last index is 20, the size is 20 | "
                        "correct the subset or the shape, or set `allow_oob`");
    e->memlet.subset = subset("-1");
    CHECK(reported(g) == "OutOfBounds");
    e->memlet.subset = subset("-2:-2"); // no element: read by a loop without iterations
    CHECK(reported(g) == "");
    e->memlet.subset = subset("N"); // cannot be proved
    CHECK(reported(g) == "");
    e->memlet.subset = subset("19");
    CHECK(reported(g) == "");
    e->memlet.subset = subset("20");
    e->memlet.allowOob = true;
    CHECK(reported(g) == "");
    e->memlet.allowOob = false;
    g.g.arrays.find(Name("A"))->offset[0] = -1;
    CHECK(reported(g) == "");
    e->memlet.subset = subset("0");
    CHECK(reported(g) == "OutOfBounds");
    e->memlet.dynamic = true;
    CHECK(reported(g) == "PossiblyOutOfBounds");
    CHECK(reported(g, Level::Structured) == "");
}

TEST_CASE("symbolic bounds, and the other subset") {
    Arrays g;
    g.array("S", "N");
    Edge *e = g.read("S", "S[N]");
    CHECK(reported(g) == "OutOfBounds");
    e->memlet.subset = subset("N - 1");
    CHECK(reported(g) == "");
    g.copyEdge("A", "B", copy("A[0:4]", "18:22"));
    CHECK(reported(g) == "OutOfBounds");
}

TEST_CASE("copies have no negative size") {
    Arrays g;
    Edge *e = g.copyEdge("A", "B", memlet("A[4:2]"));
    CHECK(message(g) == "subset `4:2` has size -2 in dimension 0 | ");
    e->memlet.subset = subset("4:4"); // nothing to copy
    CHECK(reported(g) == "");
}

TEST_CASE("copies read as much as they write") {
    Arrays g;
    Edge *e = g.copyEdge("A", "M", copy("A[0:6]", "0:2, 0:2"));
    CHECK(message(g) == "the copy reads 6 elements and writes 4 | make both subsets equally large");
    e->memlet.otherSubset = subset("0:2, 0:3");
    CHECK(reported(g) == "");
    e->memlet.subset = subset("0:N"); // cannot be compared
    CHECK(reported(g) == "");
}

TEST_CASE("vectors count their lanes, views may reinterpret") {
    Arrays g;
    g.array("V", "5", Type::vector(ScalarKind::Float64, 4));
    g.copyEdge("A", "V", copy("A[0:20]", "0:5"));
    CHECK(reported(g) == "");
    Arrays h;
    h.view("W", "10");
    auto *w = h.access("W");
    h.s->connect(h.access("A"), "", w, "views", copy("A[0:20]", "0:10"));
    h.edge(w, "", h.tasklet("", "t"), "x", "W[0]");
    CHECK(reported(h) == "");
    h.copyEdge("A", "B", copy("A[0:20]", "0:10"));
    CHECK(reported(h) == "CopySizes");
}

TEST_CASE("empty memlets are not at connectors, except between tasklets") {
    Arrays g;
    auto *t = g.tasklet("", "t"), *u = g.tasklet("", "u");
    g.s->connect(t, "o", u, "x", Memlet::empty());
    CHECK(reported(g) == "");
    g.s->connect(u, "y", g.access("A"), "", Memlet::empty());
    CHECK(message(g) == "empty memlet at connector `y` | remove the connector, or give the memlet data");
}

TEST_CASE("edges do not connect scopes beside each other") {
    Arrays g;
    auto [a, aExit] = g.map("i", "0:4", "a");
    auto [b, bExit] = g.map("i", "0:4", "b");
    auto *t = g.tasklet("", "t"), *u = g.tasklet("", "u");
    g.order(a, t);
    g.order(b, u);
    g.order(t, aExit);
    g.order(u, bExit);
    g.order(t, u);
    CHECK(reported(g).find("DisjointScopes") != std::string::npos);
}

TEST_CASE("data leaves a scope into an access node") {
    Arrays g;
    auto [entry, exit] = g.map("i", "0:4");
    auto *t = g.tasklet("", "t"), *u = g.tasklet("", "u");
    g.order(entry, t);
    g.edge(t, "o", exit, "IN_A", "A[i]");
    g.edge(exit, "OUT_A", u, "x", "A[0:4]");
    CHECK(reported(g) == "EndsOutsideScope");
}

TEST_CASE("tasklets on the host do not read device memory") {
    Arrays g;
    g.g.arrays.find(Name("A"))->storage = Storage::GPU_Global;
    auto [entry, exit] = g.map("i", "0:20");
    auto *t = g.tasklet("", "t");
    g.edge(g.access("A"), "", entry, "IN_A", "A[0:20]");
    g.edge(entry, "OUT_A", t, "x", "A[i]");
    g.order(t, exit);
    CHECK(reported(g) == ""); // Default: not decided yet
    entry->schedule = Schedule::CPU_Multicore;
    CHECK(reported(g) == "DeviceDataOnHost");
    entry->schedule = Schedule::GPU_Device;
    CHECK(reported(g) == "");
    entry->schedule = Schedule::CPU_Multicore;
    t->inConnectors[0].type = Type::pointer(ScalarKind::Float64); // only the address
    CHECK(reported(g) == "");
}

TEST_CASE("tasklets on the host do not write device memory, but may get its address") {
    Arrays g;
    g.g.arrays.find(Name("A"))->storage = Storage::GPU_Global;
    Tasklet *t = g.tasklet("", "t");
    g.edge(t, "y", g.access("A"), "", "A[0]");
    CHECK(reported(g) == "DeviceDataOnHost");
    t->outConnectors[0].type = Type::pointer(ScalarKind::Float64); // memset(y, 0, ...) of the device's runtime
    CHECK(reported(g) == "");
}

TEST_CASE("a nested SDFG in a kernel is on the device") {
    Arrays g;
    auto [entry, exit] = g.map("i", "0:20");
    auto *n = g.nested();
    DataDesc &x = n->sdfg->arrays.set("x", DataDesc::array(ScalarKind::Float64, {20}));
    x.storage = Storage::GPU_Global;
    g.edge(g.access("A"), "", entry, "IN_A", "A[0:20]");
    g.edge(entry, "OUT_A", n, "x", "A[0:20]");
    g.order(n, exit);
    g.s = n->sdfg->add<State>();
    g.s->label = "inside";
    g.edge(g.access("x"), "", g.tasklet("", "t"), "a", "x[0]");
    entry->schedule = Schedule::GPU_Device;
    CHECK(reported(g) == "");
    entry->schedule = Schedule::Sequential;
    CHECK(reported(g) == "DeviceDataOnHost");
}
