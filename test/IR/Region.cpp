// States inserted before and after blocks, labels for them, and walks over the nodes of a state.
#include "sdfgc/IR/Sdfg.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::ir;

namespace {

State *named(Region &r, const char *label) {
    State *s = r.add<State>();
    s->label = label;
    return s;
}

/// The edges of a region in order: `a->b(x = 1)`.
std::string edges(const Region &r) {
    std::string out;
    for (const auto &e : r.edges()) {
        out += (out.empty() ? "" : " ") + e->src->label + "->" + e->dst->label;
        for (const auto &[name, value] : e->assignments)
            out += "(" + name.str() + " = " + value + ")";
    }
    return out;
}

} // namespace

TEST_CASE("a state in front of a block is on every way to it, after the assignments") {
    SDFG g("f");
    State *a = named(g, "a"), *b = named(g, "b"), *c = named(g, "c");
    g.connect(a, b, {"x < 1"}, {{"x", "1"}});
    g.connect(a, c);
    g.connect(c, b);
    State *s = g.addStateBefore(b, "s");
    CHECK(s->parent() == &g);
    CHECK(edges(g) == "a->s(x = 1) a->c c->s s->b");
    CHECK(a->outEdges()[0]->condition.text() == "x < 1");
    CHECK(g.start() == a);
}

TEST_CASE("a state in front of the start is the start, once for each way back to it") {
    SDFG g("f");
    State *a = named(g, "a"), *b = named(g, "b");
    g.connect(a, b);
    g.connect(b, a);
    g.setStart(a);
    State *s = g.addStateBefore(a, "s");
    CHECK(edges(g) == "a->b b->s s->a");
    CHECK(g.start() == s);

    SDFG single("g");
    Block *only = named(single, "only");
    CHECK(single.start() == only);
    State *before = single.addStateBefore(only, "s");
    CHECK(single.start() == before);
}

TEST_CASE("a state after a block is on every way from it") {
    SDFG g("f");
    State *a = named(g, "a"), *b = named(g, "b"), *c = named(g, "c");
    g.connect(a, b, {"x < 1"}, {{"x", "1"}});
    g.connect(a, c);
    State *s = g.addStateAfter(a, "s");
    CHECK(edges(g) == "s->b(x = 1) s->c a->s");
    CHECK(s->outEdges()[0]->condition.text() == "x < 1");
    CHECK(g.start() == a);
    State *last = g.addStateAfter(c, "last");
    CHECK(last->inEdges()[0]->src == c);
    CHECK(last->outEdges().empty());
}

TEST_CASE("the edges of a block stand in the order of the region's list, wherever their ends have moved") {
    SDFG g("f");
    State *a = named(g, "a"), *b = named(g, "b"), *c = named(g, "c");
    InterstateEdge *first = g.connect(a, b), *second = g.connect(a, c), *third = g.connect(b, c);
    CHECK(a->outEdges() == std::vector{first, second});
    CHECK(c->inEdges() == std::vector{second, third});
    g.setSource(third, a);
    g.setSource(first, c);
    CHECK(a->outEdges() == std::vector{second, third});
    g.setSource(first, a); // back before both
    CHECK(a->outEdges() == std::vector{first, second, third});
    g.moveInEdges(c, b);
    CHECK(b->inEdges() == std::vector{first, second, third});
    CHECK(c->inEdges().empty());
    g.moveOutEdges(a, c);
    CHECK(edges(g) == "c->b c->b c->b");
    g.removeEdge(second);
    CHECK(c->outEdges() == std::vector{first, third});
    CHECK(b->inEdges() == std::vector{first, third});
}

TEST_CASE("an edge of another region is not detached") {
    SDFG g("f"), other("g");
    State *a = named(g, "a"), *b = named(g, "b");
    InterstateEdge *e = g.connect(a, b);
    CHECK(other.detachEdge(e) == nullptr);
    const std::unique_ptr<InterstateEdge> detached = g.detachEdge(e);
    CHECK(detached.get() == e);
    CHECK((a->outEdges().empty() && b->inEdges().empty()));
}

TEST_CASE("removed blocks take their edges with them") {
    SDFG g("f");
    State *a = named(g, "a"), *b = named(g, "b"), *c = named(g, "c"), *d = named(g, "d");
    g.connect(a, b);
    g.connect(b, b);
    InterstateEdge *past = g.connect(a, c);
    g.connect(b, c);
    g.connect(c, d);
    g.removeBlock(b);
    CHECK(a->outEdges() == std::vector{past});
    CHECK(c->inEdges() == std::vector{past});
    g.removeBlocks({c, d});
    CHECK(a->outEdges().empty());
    CHECK(g.edges().empty());
}

TEST_CASE("what a region had is what another one has") {
    SDFG g("f"), other("g");
    State *a = named(g, "a"), *b = named(g, "b");
    InterstateEdge *e = g.connect(a, b, {"x < 1"});
    named(other, "c");
    other.adopt(g.release());
    CHECK((g.blocks().empty() && g.edges().empty()));
    CHECK((a->parent() == &other && b->id() == 2));
    CHECK((a->outEdges() == std::vector{e} && b->inEdges() == std::vector{e}));
    CHECK(edges(other) == "a->b");
}

TEST_CASE("a fresh label is that of no block, at any depth") {
    SDFG g("f");
    CHECK(g.freshLabel("s") == "s");
    named(g, "s");
    named(*g.add<LoopRegion>(), "s_0");
    CHECK(g.freshLabel("s") == "s_1");
    CHECK(g.freshLabel("t") == "t");
}

TEST_CASE("nodes of one class, in order, while the state changes") {
    SDFG g("f");
    State *s = named(g, "s");
    auto *a = s->add<AccessNode>("A");
    s->add<Tasklet>();
    auto *b = s->add<AccessNode>("B");
    std::vector<AccessNode *> found;
    for (AccessNode *n : nodesOf<AccessNode>(*s)) {
        found.push_back(n);
        s->add<AccessNode>("C");
    }
    CHECK(found == std::vector<AccessNode *>{a, b});
    CHECK(nodesOf<MapEntry>(*s).empty());
}

TEST_CASE("a graph mentions a GPU by the memory of containers, used or not, and by schedules of maps") {
    SDFG g("f");
    auto *m = named(g, "s")->add<MapEntry>();
    m->schedule = Schedule::CPU_Multicore;
    g.arrays.set("A", DataDesc::array(ScalarKind::Float64, {8}));
    CHECK_FALSE(mentionsGpu(g));
    m->schedule = Schedule::GPU_ThreadBlock;
    CHECK(mentionsGpu(g));
    m->schedule = Schedule::Sequential;
    g.desc(Name("A"))->storage = Storage::GPU_Global;
    CHECK(mentionsGpu(g));
}

TEST_CASE("a clone says the same, and consists of its own parts") {
    SDFG g("f");
    g.label = "f";
    State *s = named(g, "s");
    s->nosync = true;
    auto *entry = s->add<MapEntry>();
    auto *exit = s->add<MapExit>();
    entry->exit = exit;
    exit->entry = entry;
    entry->stream = 3;
    entry->label = "m";
    auto *nested = s->add<NestedSDFGNode>();
    nested->sdfg = std::make_unique<SDFG>(Name("inner"));
    nested->sdfg->parentNode = nested;
    s->connect(entry, "OUT_x", exit, "IN_x", Memlet::empty());
    auto loop = std::make_unique<LoopRegion>();
    loop->label = "l";
    loop->unrollFactor = 4;
    named(*loop, "body");
    Block *l = g.adopt(std::move(loop));
    g.connect(s, l, {"x < 1"}, {{"x", "1"}});
    g.renumber();

    const std::unique_ptr<SDFG> copy = clone(g);
    REQUIRE(copy->blocks().size() == 2);
    CHECK(copy->label == "f");
    CHECK(copy->isRoot());
    CHECK(edges(*copy) == "s->l(x = 1)");
    auto *state = dyn_cast<State>(copy->start());
    REQUIRE((state && state != s && state->nosync));
    auto *m = nodesOf<MapEntry>(*state).at(0);
    auto *x = nodesOf<MapExit>(*state).at(0);
    CHECK((m->exit == x && x->entry == m && m != entry));
    CHECK(m->stream == 3);
    CHECK(m->label == "m");
    CHECK(m->state() == state);
    CHECK(m->outEdges().size() == 1);
    CHECK(m->outConnector("OUT_x"));
    auto *inner = nodesOf<NestedSDFGNode>(*state).at(0);
    CHECK((inner->sdfg.get() != nested->sdfg.get() && inner->sdfg->name == nested->sdfg->name && inner->sdfg->parentNode == inner));
    auto *copiedLoop = dyn_cast<LoopRegion>(copy->blocks()[1].get());
    REQUIRE(copiedLoop);
    CHECK(copiedLoop->unrollFactor == 4);
    CHECK((copiedLoop->parent() == copy.get() && copiedLoop->blocks().size() == 1 && copiedLoop->blocks()[0]->label == "body"));
    CHECK(g.blocks().size() == 2);
    CHECK(entry->outEdges().size() == 1);
}
