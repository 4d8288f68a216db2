// place-barriers in persistent kernels: which phases of the grid wait for each other.
#include "Transforms/Kernels/BarrierChecks.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;

namespace {

using Kinds = std::vector<AsyncOp::Kind>;

/// A persistent kernel around a nested SDFG with the device arrays A, B and C of 32 elements and the counter n.
struct Persistent : Graph {
    MapEntry *kernel = map(Schedule::GPU_Persistent, "_", "0:1");
    NestedSDFGNode *call = nested("body");
    Graph body{*call->sdfg};

    Persistent() {
        for (const std::string data : {"A", "B", "C", "n"}) {
            transient(data, "32").storage = body.array(data, "32").storage = Storage::GPU_Global;
            const std::string all = data + "[0:32]";
            edge(access(data), "", kernel, "IN_" + data, all);
            edge(kernel, "OUT_" + data, call, data, all);
            edge(call, data, kernel->exit, "IN_" + data, all);
            edge(kernel->exit, "OUT_" + data, access(data), "", all);
        }
    }
    /// A state in which a map over the device sets to[i] = from[31 - i].
    State *phase(const std::string &from, const std::string &to, Region *in = nullptr) {
        State *added = body.state("phase", in);
        MapEntry *m = body.map(Schedule::GPU_Device, "i", "0:32");
        Tasklet *t = body.tasklet("y = x");
        body.edge(body.access(from), "", m, "IN_x", from + "[0:32]");
        body.edge(m, "OUT_x", t, "x", from + "[31 - i]");
        body.edge(t, "y", m->exit, "IN_y", to + "[i]");
        body.edge(m->exit, "OUT_y", body.access(to), "", to + "[0:32]");
        return added;
    }
    /// A state in which one thread sets the counter.
    State *count(const std::string &code, Region *in = nullptr) {
        State *added = body.state("count", in);
        Tasklet *t = body.tasklet(code);
        if (code.find('x') != std::string::npos)
            body.edge(body.access("n"), "", t, "x", "n[0]");
        body.edge(t, "y", body.access("n"), "", "n[0]");
        return added;
    }
    Kinds placed() { return placedBarriers(g); }
};

} // namespace

TEST_CASE("barriers of the grid: a map reads what the one before wrote") {
    Persistent p;
    State *first = p.phase("A", "B");
    p.body.g.connect(first, p.phase("B", "C"));
    CHECK(p.placed() == Kinds{AsyncOp::GridBarrier});
}

TEST_CASE("barriers of the grid: maps that share nothing but what they read do not wait") {
    Persistent p;
    State *first = p.phase("A", "B");
    p.body.g.connect(first, p.phase("A", "C"));
    CHECK(p.placed().empty());
}

TEST_CASE("barriers of the grid: one of a block does not order blocks") {
    Persistent p;
    State *first = p.phase("A", "B");
    p.body.g.connect(first, p.phase("B", "C"));
    auto *b = analysis::addAsyncOp(*first, {AsyncOp::Barrier, 0, -1});
    first->connect(first->nodes().back().get() == b ? first->nodes()[first->nodes().size() - 2].get() : first->nodes().back().get(),
                   "", b, "", Memlet::empty());
    CHECK(conflicts(p.g) == 1);
}

TEST_CASE("barriers of the grid: from one iteration of a loop to the next") {
    Persistent p;
    auto *loop = p.body.g.add<LoopRegion>();
    loop->condition = {"k < 5", Language::Python};
    State *first = p.phase("A", "B", loop);
    loop->connect(first, p.phase("B", "A", loop));
    CHECK(p.placed().size() == 2);
}

TEST_CASE("barriers of the grid: what a condition reads is complete, and stays until all have read it") {
    Persistent p;
    State *start = p.count("y = 0");
    auto *loop = p.body.g.add<LoopRegion>();
    loop->condition = {"n[0] < 5", Language::Python};
    p.body.g.connect(start, loop);
    p.count("y = x + 1", loop);
    // After the start, before the first write of an iteration, and after it. Before the start, the counter has not been read.
    CHECK(p.placed() == Kinds{AsyncOp::GridBarrier, AsyncOp::GridBarrier, AsyncOp::GridBarrier});
    CHECK(start->nodes().size() == 3);
}

TEST_CASE("barriers of the grid: a block that gets several iterations waits inside of them") {
    Persistent p;
    Graph &x = p.body;
    x.state("tiles");
    x.transient("s", "32").storage = Storage::GPU_Shared;
    MapEntry *blocks = x.map(Schedule::GPU_Device, "b", "0:100");
    auto phase = [&](Node *from, const std::string &data, const std::string &to) {
        MapEntry *m = x.map(Schedule::GPU_ThreadBlock, "t", "0:32");
        Tasklet *t = x.tasklet("y = x");
        x.edge(from, isa<MapEntry>(from) ? "OUT_x" : "", m, "IN_x", data + "[0:32]");
        x.edge(m, "OUT_x", t, "x", data + "[31 - t]");
        x.edge(t, "y", m->exit, "IN_y", to + "[t]");
        return m;
    };
    x.edge(x.access("A"), "", blocks, "IN_x", "A[0:32]");
    MapEntry *load = phase(blocks, "A", "s");
    AccessNode *shared = x.access("s");
    x.edge(load->exit, "OUT_y", shared, "", "s[0:32]");
    MapEntry *store = phase(shared, "s", "B");
    x.edge(store->exit, "OUT_y", blocks->exit, "IN_y", "B[0:32]");
    x.edge(blocks->exit, "OUT_y", x.access("B"), "", "B[0:32]");
    CHECK(p.placed() == Kinds{AsyncOp::Barrier, AsyncOp::Barrier});
}

TEST_CASE("barriers of the grid: phases in the kernel's own scope") {
    Graph x(R"(
        sdfg f {
          transient A: float64[32] (GPU_Global)
          transient B: float64[32] (GPU_Global)
          transient C: float64[32] (GPU_Global)
          state main {
            map kernel[_ = 0] (GPU_Persistent) with <- A[0:32]; -> C[0:32] {
              map first[i = 0:32] (GPU_Device) with <- A[0:32]; -> B[0:32] {
                t: y = x  with x <- A[31 - i]; y -> B[i]
              }
              map second[i = 0:32] (GPU_Device) with <- B[0:32]; -> C[0:32] {
                t: y = x  with x <- B[31 - i]; y -> C[i]
              }
            }
          }
        }
    )");
    CHECK(placedBarriers(x.g) == Kinds{AsyncOp::GridBarrier});
}
