// pool-memory, what assign-streams and order-streams make of its nodes, and what the verifier says when memory is used outside of
// them.
#include "GraphBuilder.h"
#include "OrderChecks.h"

#include "sdfgc/Analysis/Streams.h"
#include "sdfgc/Analysis/Verify.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;

namespace {

/// Device arrays a and b, of the pool; arguments in and out.
struct Pooled {
    SDFG g{"f"};

    Pooled() {
        g.symbols.set("n", ScalarKind::Int64);
        for (const char *n : {"in", "out"}) {
            array(g, n, {16});
            g.desc(Name(n))->storage = Storage::GPU_Global;
        }
        for (const char *n : {"a", "b"}) {
            array(g, n, {16}, true);
            g.desc(Name(n))->storage = Storage::GPU_Global;
            g.desc(Name(n))->pool = true;
        }
    }
    /// `to` = kernel of `from`; both are nodes of the state.
    MapEntry *kernel(State *s, AccessNode *from, AccessNode *to) {
        MapEntry *m = map(s, {{"i", range("0", "15")}}, Schedule::GPU_Device);
        Tasklet *t = tasklet(s, "y = x");
        s->connect(from, "", m, "IN_x", memlet(from->data.str(), {range("0", "15")}));
        s->connect(m, "OUT_x", t, "x", memlet(from->data.str(), {at("i")}));
        s->connect(t, "y", m->exit, "IN_y", memlet(to->data.str(), {at("i")}));
        s->connect(m->exit, "OUT_y", to, "", memlet(to->data.str(), {range("0", "15")}));
        return m;
    }
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
        place.options.target = "cuda";
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

/// in -> a -> b -> out in one state.
void chain(Pooled &p, State *s) {
    AccessNode *a = s->add<AccessNode>("a"), *b = s->add<AccessNode>("b");
    p.kernel(s, s->add<AccessNode>("in"), a);
    p.kernel(s, a, b);
    p.kernel(s, b, s->add<AccessNode>("out"));
    p.g.renumber();
}

} // namespace

TEST_CASE("pools: in one state, memory is there from the first use to the last, in their stream") {
    Pooled p;
    chain(p, state(p.g));
    p.pool();
    CHECK(p.nodes(AsyncOp::Allocate).size() == 2);
    CHECK(p.nodes(AsyncOp::Free).size() == 2);
    p.schedule(4);
    CHECK(p.nodes(AsyncOp::Record).empty()); // one chain, one stream
    for (AsyncOp::Kind kind : {AsyncOp::Allocate, AsyncOp::Free})
        for (LibraryNode *n : p.nodes(kind))
            CHECK(analysis::streamOf(*n) == 0);
    CHECK(p.problems() == "");
    // a is given back in front of what only needs b.
    std::vector<std::string> order;
    analysis::StreamSteps steps(p.g);
    for (const analysis::StreamStep &s : steps.of(*allStates(p.g).front()))
        order.push_back(s.kind == analysis::StreamStep::Operation && isa<LibraryNode>(s.node) ? s.node->label : "-");
    auto first = std::find(order.begin(), order.end(), "Allocate"), last = std::find(order.begin(), order.end(), "Free");
    CHECK(first < last);
}

TEST_CASE("pools: uses in other streams wait for the allocation, and are waited for before the end") {
    Pooled p;
    State *s = state(p.g);
    AccessNode *a = s->add<AccessNode>("a"), *b = s->add<AccessNode>("b");
    p.kernel(s, s->add<AccessNode>("in"), a)->stream = 0;
    p.kernel(s, a, b)->stream = 1;
    p.kernel(s, a, s->add<AccessNode>("out"))->stream = 2;
    p.g.renumber();
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
    Pooled p;
    State *s = state(p.g), *back = state(p.g);
    back->label = "back";
    auto *l = p.g.add<LoopRegion>();
    l->label = "loop";
    l->variable = "k";
    l->init = Code{"k = 0"};
    l->condition = Code{"k < 3"};
    l->update = Code{"k = k + 1"};
    State *body = l->add<State>();
    body->label = "body";
    p.g.connect(s, l);
    p.g.connect(l, back);
    p.kernel(s, s->add<AccessNode>("in"), s->add<AccessNode>("a"));
    p.kernel(body, body->add<AccessNode>("a"), body->add<AccessNode>("a"));
    p.kernel(back, back->add<AccessNode>("a"), back->add<AccessNode>("out"));
    p.g.renumber();
    p.pool();
    REQUIRE(p.nodes(AsyncOp::Allocate).size() == 1); // b is not used
    CHECK(p.nodes(AsyncOp::Allocate)[0]->state() == p.g.start());
    CHECK(p.nodes(AsyncOp::Free)[0]->state()->label == "free_a");
    p.schedule(2);
    CHECK(p.problems() == "");
    const std::size_t before = p.g.blocks().size();
    p.pool(); // a second time nothing happens
    CHECK(p.g.blocks().size() == before);
}

TEST_CASE("pools: who does not ask, and what the pool cannot serve") {
    Pooled p;
    chain(p, state(p.g));
    SECTION("nobody asks") {
        p.g.desc("a")->pool = p.g.desc("b")->pool = false;
        p.pool();
        CHECK(p.nodes(AsyncOp::Allocate).empty());
        p.pool(true);
        CHECK(p.nodes(AsyncOp::Allocate).size() == 2);
    }
    SECTION("memory that outlives the call") {
        p.g.desc("a")->lifetime = Lifetime::Persistent;
        p.pool();
        CHECK(p.nodes(AsyncOp::Allocate, "a").empty());
        CHECK(p.nodes(AsyncOp::Allocate, "b").size() == 1);
    }
    SECTION("branches") {
        State *first = allStates(p.g).front(), *one = state(p.g), *two = state(p.g);
        p.g.connect(first, one, Code{"n > 0"});
        p.g.connect(first, two, Code{"not (n > 0)"});
        p.kernel(one, one->add<AccessNode>("a"), one->add<AccessNode>("out"));
        p.g.renumber();
        p.pool();
        CHECK(p.nodes(AsyncOp::Allocate, "a").empty());
        CHECK(p.nodes(AsyncOp::Allocate, "b").size() == 1);
    }
}

TEST_CASE("pools: uses outside of the memory's life are errors") {
    Pooled p;
    State *s = state(p.g), *after = state(p.g);
    s->label = "first";
    after->label = "second";
    p.g.connect(s, after);
    chain(p, s);
    p.pool();
    p.schedule(1);
    REQUIRE(p.problems() == "");
    SECTION("after Free") {
        p.kernel(after, after->add<AccessNode>("b"), after->add<AccessNode>("out"))->stream = 0;
        p.g.renumber();
        CHECK(p.problems().find("MemoryMissing") != std::string::npos);
    }
    SECTION("without Allocate") {
        s->removeNode(p.nodes(AsyncOp::Allocate, "a").front());
        p.g.renumber();
        CHECK(p.problems().find("MemoryMissing") != std::string::npos);
    }
}
