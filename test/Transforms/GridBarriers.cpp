// place-barriers in persistent kernels: which phases of the grid wait for each other.
#include "BarrierChecks.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;

namespace {

using Kinds = std::vector<AsyncOp::Kind>;

/// A persistent kernel around a nested SDFG with the device arrays A, B and C of 32 elements and the counter n.
struct Persistent {
    SDFG g{"f"};
    MapEntry *kernel;
    SDFG *body;

    Persistent() {
        State *s = state(g);
        kernel = map(s, {{"_", range("0", "0")}}, Schedule::GPU_Persistent);
        NestedSDFGNode *node = nested(s, "body");
        body = node->sdfg.get();
        for (const char *name : {"A", "B", "C", "n"}) {
            for (SDFG *each : {&g, body}) {
                array(*each, name, {32}, each == &g);
                each->desc(Name(name))->storage = Storage::GPU_Global;
            }
            const std::string data = name, in = "IN_" + data, out = "OUT_" + data;
            const auto all = [&] { return memlet(data, {range("0", "31")}); };
            s->connect(s->add<AccessNode>(Name(data)), "", kernel, Name(in), all());
            s->connect(kernel, Name(out), node, Name(data), all());
            s->connect(node, Name(data), kernel->exit, Name(in), all());
            s->connect(kernel->exit, Name(out), s->add<AccessNode>(Name(data)), "", all());
        }
    }
    /// A state in which a map over the device sets to[i] = from[31 - i].
    State *phase(Region *in, const char *from, const char *to) {
        State *s = in->add<State>();
        MapEntry *m = map(s, {{"i", range("0", "31")}}, Schedule::GPU_Device);
        Tasklet *t = tasklet(s, "y = x");
        s->connect(s->add<AccessNode>(Name(from)), "", m, "IN_x", memlet(from, {range("0", "31")}));
        s->connect(m, "OUT_x", t, "x", memlet(from, {at("31 - i")}));
        s->connect(t, "y", m->exit, "IN_y", memlet(to, {at("i")}));
        s->connect(m->exit, "OUT_y", s->add<AccessNode>(Name(to)), "", memlet(to, {range("0", "31")}));
        return s;
    }
    /// A state in which one thread sets the counter.
    State *count(Region *in, const char *code) {
        State *s = in->add<State>();
        Tasklet *t = tasklet(s, code);
        if (t->code.text.find('x') != std::string::npos)
            s->connect(s->add<AccessNode>(Name("n")), "", t, "x", memlet("n", {at("0")}));
        s->connect(t, "y", s->add<AccessNode>(Name("n")), "", memlet("n", {at("0")}));
        return s;
    }
    Kinds placed() { return placedBarriers(g); }
};

} // namespace

TEST_CASE("barriers of the grid: a map reads what the one before wrote") {
    Persistent p;
    p.body->connect(p.phase(p.body, "A", "B"), p.phase(p.body, "B", "C"));
    CHECK(p.placed() == Kinds{AsyncOp::GridBarrier});
}

TEST_CASE("barriers of the grid: maps that share nothing but what they read do not wait") {
    Persistent p;
    p.body->connect(p.phase(p.body, "A", "B"), p.phase(p.body, "A", "C"));
    CHECK(p.placed().empty());
}

TEST_CASE("barriers of the grid: one of a block does not order blocks") {
    Persistent p;
    State *first = p.phase(p.body, "A", "B");
    p.body->connect(first, p.phase(p.body, "B", "C"));
    auto *b = analysis::addAsyncOp(*first, {AsyncOp::Barrier, 0, -1});
    first->connect(first->nodes().back().get() == b ? first->nodes()[first->nodes().size() - 2].get() : first->nodes().back().get(),
                   "", b, "", Memlet::empty());
    CHECK(conflicts(p.g) == 1);
}

TEST_CASE("barriers of the grid: from one iteration of a loop to the next") {
    Persistent p;
    auto *loop = p.body->add<LoopRegion>();
    loop->condition = {"k < 5", Language::Python};
    loop->connect(p.phase(loop, "A", "B"), p.phase(loop, "B", "A"));
    CHECK(p.placed().size() == 2);
}

TEST_CASE("barriers of the grid: what a condition reads is complete, and stays until all have read it") {
    Persistent p;
    State *start = p.count(p.body, "y = 0");
    auto *loop = p.body->add<LoopRegion>();
    loop->condition = {"n[0] < 5", Language::Python};
    p.body->connect(start, loop);
    p.count(loop, "y = x + 1");
    // After the start, before the first write of an iteration, after it. Nothing has read the counter before the start.
    CHECK(p.placed() == Kinds{AsyncOp::GridBarrier, AsyncOp::GridBarrier, AsyncOp::GridBarrier});
    CHECK(start->nodes().size() == 3);
}

TEST_CASE("barriers of the grid: a block that gets several iterations waits inside of them") {
    Persistent p;
    State *s = p.body->add<State>();
    array(*p.body, "s", {32}, true);
    p.body->desc(Name("s"))->storage = Storage::GPU_Shared;
    MapEntry *blocks = map(s, {{"b", range("0", "99")}}, Schedule::GPU_Device);
    auto phase = [&](Node *from, const char *data, const char *to) {
        MapEntry *m = map(s, {{"t", range("0", "31")}}, Schedule::GPU_ThreadBlock);
        Tasklet *t = tasklet(s, "y = x");
        s->connect(from, isa<MapEntry>(from) ? "OUT_x" : "", m, "IN_x", memlet(data, {range("0", "31")}));
        s->connect(m, "OUT_x", t, "x", memlet(data, {at("31 - t")}));
        s->connect(t, "y", m->exit, "IN_y", memlet(to, {at("t")}));
        return m;
    };
    s->connect(s->add<AccessNode>(Name("A")), "", blocks, "IN_x", memlet("A", {range("0", "31")}));
    MapEntry *load = phase(blocks, "A", "s");
    auto *shared = s->add<AccessNode>(Name("s"));
    s->connect(load->exit, "OUT_y", shared, "", memlet("s", {range("0", "31")}));
    MapEntry *store = phase(shared, "s", "B");
    s->connect(store->exit, "OUT_y", blocks->exit, "IN_y", memlet("B", {range("0", "31")}));
    s->connect(blocks->exit, "OUT_y", s->add<AccessNode>(Name("B")), "", memlet("B", {range("0", "31")}));
    CHECK(p.placed() == Kinds{AsyncOp::Barrier, AsyncOp::Barrier});
}

TEST_CASE("barriers of the grid: phases in the kernel's own scope") {
    SDFG g{"f"};
    for (const char *name : {"A", "B", "C"}) {
        array(g, name, {32}, true);
        g.desc(Name(name))->storage = Storage::GPU_Global;
    }
    State *s = state(g);
    MapEntry *kernel = map(s, {{"_", range("0", "0")}}, Schedule::GPU_Persistent);
    auto phase = [&](Node *from, const char *data, const char *to) {
        MapEntry *m = map(s, {{"i", range("0", "31")}}, Schedule::GPU_Device);
        Tasklet *t = tasklet(s, "y = x");
        s->connect(from, from == kernel ? "OUT_x" : "", m, "IN_x", memlet(data, {range("0", "31")}));
        s->connect(m, "OUT_x", t, "x", memlet(data, {at("31 - i")}));
        s->connect(t, "y", m->exit, "IN_y", memlet(to, {at("i")}));
        return m;
    };
    s->connect(s->add<AccessNode>(Name("A")), "", kernel, "IN_x", memlet("A", {range("0", "31")}));
    MapEntry *first = phase(kernel, "A", "B");
    auto *between = s->add<AccessNode>(Name("B"));
    s->connect(first->exit, "OUT_y", between, "", memlet("B", {range("0", "31")}));
    MapEntry *second = phase(between, "B", "C");
    s->connect(second->exit, "OUT_y", kernel->exit, "IN_y", memlet("C", {range("0", "31")}));
    s->connect(kernel->exit, "OUT_y", s->add<AccessNode>(Name("C")), "", memlet("C", {range("0", "31")}));
    CHECK(placedBarriers(g) == Kinds{AsyncOp::GridBarrier});
}
