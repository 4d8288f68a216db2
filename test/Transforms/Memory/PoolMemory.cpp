// pool-memory, how assign-streams and order-streams handle its nodes, and the verifier's errors for memory used outside of them.
#include "Transforms/PassRun.h"
#include "Transforms/Streams/OrderChecks.h"

#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Verify.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;

namespace {

/// A kernel that copies `from` to `to`, as text.
std::string kernel(const std::string &from, const std::string &to, const std::string &attributes = "GPU_Device") {
    return replaced(R"(
        map m[i = 0:16] ($attributes) with <- $from[0:16]; -> $to[0:16] {
          t: y = x  with x <- $from[i]; y -> $to[i]
        }
    )",
                    {{"$attributes", attributes}, {"$from", from}, {"$to", to}});
}

std::string inState(const std::string &label, const std::string &nodes) { return "state " + label + " {\n" + nodes + "\n}\n"; }

const std::string chain = kernel("in", "a") + kernel("a", "b") + kernel("b", "out");

/// Device arrays a and b from the pool; arguments in and out.
struct Pooled : Graph {
    explicit Pooled(const std::string &blocks)
        : Graph(R"(
            sdfg f(in, out) {
              symbol n: int64
              argument in: float64[16] (GPU_Global)
              argument out: float64[16] (GPU_Global)
              transient a: float64[16] (GPU_Global, pool)
              transient b: float64[16] (GPU_Global, pool)
              $blocks
            }
          )",
                {{"$blocks", blocks}}) {}
    void pool(bool all = false) {
        PassRun pass(transforms::createPoolMemory());
        pass.pass->options["all"] = all;
        pass(g);
        g.renumber();
    }
    void schedule(int streams) {
        PassRun assign(transforms::createAssignStreams()), order(transforms::createOrderStreams());
        assign.pass->options["streams"] = int64_t(streams);
        assign(g);
        order(g);
        g.renumber();
    }
    std::vector<LibraryNode *> nodes(AsyncOp::Kind kind, Name data = {}) {
        std::vector<LibraryNode *> out;
        for (State *s : allStates(g))
            for (const auto &n : s->nodes())
                if (auto *l = dyn_cast<LibraryNode>(n.get()))
                    if (auto op = analysis::asyncOp(*l); op && op->kind == kind && (!data || op->data == data))
                        out.push_back(l);
        return out;
    }
    int conflicts(const Node *without = nullptr) { return conflictsOf<analysis::StreamOrder>(g, without); }
    std::string problems() {
        PassRun(transforms::createDefaultSchedules())(g);
        PassRun(transforms::createInferTypes())(g);
        PassRun shape(transforms::createShapeKernels());
        shape.pass->options["threads"] = int64_t(256);
        shape(g);
        PassRun(transforms::createAllocateContainers())(g);
        PassRun place(transforms::createPlaceInMemory());
        place.options.target = pass::Target("cuda");
        place.pass->options = {{"heap-limit", int64_t(0)}, {"register-limit", int64_t(0)}, {"kernel-limit", int64_t(0)}};
        place(g);
        diag::Engine diags;
        analysis::verify(g, Level::Scheduled, diags);
        std::string out;
        for (const diag::Diagnostic &d : diags.all())
            out += std::string(out.empty() ? "" : " ") + std::string(diag::info(d.id).name);
        return out;
    }
};

} // namespace

TEST_CASE("pools: in one state, memory is there from the first use to the last, in their stream") {
    Pooled p(inState("main", chain));
    p.pool();
    CHECK(p.nodes(AsyncOp::Allocate).size() == 2);
    CHECK(p.nodes(AsyncOp::Free).size() == 2);
    p.schedule(4);
    CHECK(p.nodes(AsyncOp::Record).empty()); // one chain, one stream
    for (AsyncOp::Kind kind : {AsyncOp::Allocate, AsyncOp::Free})
        for (LibraryNode *n : p.nodes(kind))
            CHECK(analysis::streamOf(*n) == 0);
    CHECK(p.problems() == "");
    // a is freed before the nodes that only need b.
    std::vector<std::string> order;
    analysis::StreamSteps steps(p.g);
    for (const analysis::StreamStep &s : steps.of(*allStates(p.g).front()))
        order.push_back(s.kind == analysis::StreamStep::Operation && isa<LibraryNode>(s.node) ? s.node->label : "-");
    auto first = std::find(order.begin(), order.end(), "Allocate"), last = std::find(order.begin(), order.end(), "Free");
    CHECK(first < last);
}

TEST_CASE("pools: uses in other streams wait for the allocation, and are waited for before the end") {
    Pooled p(inState("main", kernel("in", "a", "GPU_Device, stream = 0") + kernel("a", "b", "GPU_Device, stream = 1") +
                                 kernel("a", "out", "GPU_Device, stream = 2")));
    p.pool();
    p.schedule(3);
    CHECK(p.conflicts() == 0);
    CHECK(p.problems() == "");
    int events = 0;
    for (AsyncOp::Kind kind : {AsyncOp::Record, AsyncOp::Wait})
        for (LibraryNode *n : p.nodes(kind)) {
            CHECK(p.conflicts(n) > 0);
            ++events;
        }
    CHECK(events >= 4);
}

TEST_CASE("pools: what is kept from block to block gets states around them") {
    Pooled p(inState("main", kernel("in", "a")) + "loop: for k = 0; k < 3; k = k + 1 {\n" + inState("body", kernel("a", "a")) +
             "}\n" + inState("back", kernel("a", "out")));
    p.pool();
    REQUIRE(p.nodes(AsyncOp::Allocate).size() == 1); // b is not used
    CHECK(p.nodes(AsyncOp::Allocate)[0]->state() == p.g.start());
    CHECK(p.nodes(AsyncOp::Free)[0]->state()->label == "free_a");
    p.schedule(2);
    CHECK(p.problems() == "");
    const std::size_t before = p.g.blocks().size();
    p.pool(); // the second run changes nothing
    CHECK(p.g.blocks().size() == before);
}

TEST_CASE("pools: memory that a branch uses is kept until after the conditional") {
    Pooled x(inState("one", kernel("in", "a")) + "check: if (n > 0)  yes {\n" + inState("two", kernel("a", "out")) + "}\n" +
             inState("three", kernel("in", "out")));
    x.pool();
    std::vector<std::string> order;
    for (const Block *b : analysis::blocksInOrder(x.g))
        order.push_back(b->label);
    CHECK(order == std::vector<std::string>{"allocate_a", "one", "check", "free_a", "three"});
    x.schedule(1);
    CHECK(x.problems() == "");
}

TEST_CASE("pools: who does not ask, and what the pool cannot serve") {
    SECTION("nobody asks") {
        Pooled p(inState("main", chain));
        p.desc("a").pool = p.desc("b").pool = false;
        p.pool();
        CHECK(p.nodes(AsyncOp::Allocate).empty());
        p.pool(true);
        CHECK(p.nodes(AsyncOp::Allocate).size() == 2);
    }
    SECTION("memory that outlives the call") {
        Pooled p(inState("main", chain));
        p.desc("a").lifetime = Lifetime::Persistent;
        p.pool();
        CHECK(p.nodes(AsyncOp::Allocate, "a").empty());
        CHECK(p.nodes(AsyncOp::Allocate, "b").size() == 1);
    }
    SECTION("branches") {
        Pooled p(inState("main", chain) + "goto one if n > 0\ngoto two if not (n > 0)\n" + inState("one", kernel("a", "out")) +
                 "stop\n" + inState("two", ""));
        p.pool();
        CHECK(p.nodes(AsyncOp::Allocate, "a").empty());
        CHECK(p.nodes(AsyncOp::Allocate, "b").size() == 1);
    }
}

TEST_CASE("pools: uses outside of the memory's life are errors") {
    Pooled p(inState("first", chain) + inState("second", ""));
    p.pool();
    p.schedule(1);
    REQUIRE(p.problems() == "");
    SECTION("after Free") {
        p.s = p.block<State>("second");
        MapEntry *m = p.map(Schedule::GPU_Device, "i", "0:16");
        Tasklet *t = p.tasklet("y = x");
        p.edge(p.access("b"), "", m, "IN_x", "b[0:16]");
        p.edge(m, "OUT_x", t, "x", "b[i]");
        p.edge(t, "y", m->exit, "IN_y", "out[i]");
        p.edge(m->exit, "OUT_y", p.access("out"), "", "out[0:16]");
        m->stream = 0;
        p.g.renumber();
        CHECK(p.problems().find("MemoryMissing") != std::string::npos);
    }
    SECTION("without Allocate") {
        p.s->removeNode(p.nodes(AsyncOp::Allocate, "a").front());
        p.g.renumber();
        CHECK(p.problems().find("MemoryMissing") != std::string::npos);
    }
}
