#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A -> map { t -> tmp -> inner map { u } } -> B
struct TwoLevels {
    SDFG g{"f"};
    MapEntry *outer, *inner;
    TwoLevels() {
        array(g, "A", {expr("N")});
        array(g, "B", {expr("N")});
        array(g, "tmp", {4}, true);
        State *s = state(g);
        outer = map(s, {{"i", range("0", "N - 1")}});
        inner = map(s, {{"j", range("0", "3")}});
        auto *tmp = s->add<AccessNode>("tmp");
        Tasklet *t = tasklet(s, "y = x"), *u = tasklet(s, "y = x");
        s->connect(s->add<AccessNode>("A"), "", outer, "IN_A", memlet("A", {range("0", "N - 1")}));
        s->connect(outer, "OUT_A", t, "x", memlet("A", {at("i")}));
        s->connect(t, "y", tmp, "", memlet("tmp", {at("0")}));
        s->connect(tmp, "", inner, "IN_t", memlet("tmp", {range("0", "3")}));
        s->connect(inner, "OUT_t", u, "x", memlet("tmp", {at("j")}));
        s->connect(u, "y", inner->exit, "IN_B", memlet("B", {at("i")}));
        s->connect(inner->exit, "OUT_B", outer->exit, "IN_B", memlet("B", {at("i")}));
        s->connect(outer->exit, "OUT_B", s->add<AccessNode>("B"), "", memlet("B", {range("0", "N - 1")}));
    }
    Storage storage(const char *name) { return g.desc(name)->storage; }
};

} // namespace

TEST_CASE("defaults on the CPU") {
    TwoLevels x;
    PassRun defaults(transforms::createDefaultSchedules());
    CHECK(defaults(x.g));
    CHECK(x.outer->schedule == Schedule::CPU_Multicore);
    CHECK(x.inner->schedule == Schedule::Sequential);
    CHECK(x.storage("A") == Storage::CPU_Heap);
    CHECK(x.storage("tmp") == Storage::Register);
    CHECK_FALSE(defaults(x.g)); // a second run finds nothing
}

TEST_CASE("the schedule follows the memory, storage inside follows the schedule") {
    TwoLevels x;
    for (const char *name : {"A", "B"})
        x.g.desc(name)->storage = Storage::GPU_Global;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.outer->schedule == Schedule::GPU_Device);
    CHECK(x.inner->schedule == Schedule::GPU_ThreadBlock);
    CHECK(x.storage("tmp") == Storage::GPU_Shared);
}

TEST_CASE("a map of a kernel whose range is read at run time is a loop of each thread") {
    TwoLevels x;
    for (const char *name : {"A", "B"})
        x.g.desc(name)->storage = Storage::GPU_Global;
    State *s = allStates(x.g).front();
    array(x.g, "sizes", {expr("N")}, false, ScalarKind::Int64);
    x.g.desc("sizes")->storage = Storage::GPU_Global;
    s->connect(s->add<AccessNode>("sizes"), "", x.outer, "IN_sizes", memlet("sizes", {range("0", "N - 1")}));
    s->connect(x.outer, "OUT_sizes", x.inner, "n", memlet("sizes", {at("i")}));
    x.inner->ranges[0] = range("0", "n - 1");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.outer->schedule == Schedule::GPU_Device);
    CHECK(x.inner->schedule == Schedule::Sequential);
    CHECK(x.storage("tmp") == Storage::Register);
}

TEST_CASE("a kernel without thread-block maps keeps its containers in registers") {
    TwoLevels x;
    x.outer->schedule = Schedule::GPU_Device;
    x.inner->schedule = Schedule::Sequential;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.storage("tmp") == Storage::Register);
}

TEST_CASE("containers in different memories leave no default schedule") {
    TwoLevels x;
    x.g.desc("A")->storage = Storage::GPU_Global;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    REQUIRE(defaults.reported(diag::Id::ScheduleAmbiguous));
    CHECK(defaults.diags.all()[0].message.find("GPU_Device by A") != std::string::npos);
}

TEST_CASE("sequential scopes are skipped when looking for storage") {
    TwoLevels x;
    x.outer->schedule = Schedule::Sequential;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.storage("tmp") == Storage::CPU_Heap);
    CHECK(x.inner->schedule == Schedule::Sequential);
}

TEST_CASE("the outermost use decides, whatever the order of states") {
    TwoLevels x;
    State *first = x.g.add<State>();
    first->label = "first";
    first->add<AccessNode>("tmp");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.storage("tmp") == Storage::CPU_Heap);
}

TEST_CASE("nested arguments follow the outer container; inner scopes the outer schedule") {
    SDFG g("f");
    array(g, "A", {expr("N")});
    array(g, "unused", {4}, true);
    g.desc("A")->storage = Storage::CPU_Pinned;
    State *s = state(g);
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}});
    NestedSDFGNode *n = nested(s, "inner");
    array(*n->sdfg, "x", {expr("N")});
    array(*n->sdfg, "y", {expr("N")});
    array(*n->sdfg, "z", {expr("N")});
    n->sdfg->desc("x")->storage = Storage::GPU_Global;
    array(g, "B", {expr("N")});
    MapEntry *inside = map(state(*n->sdfg), {{"k", range("0", "3")}});
    auto *a = s->add<AccessNode>("A"), *b = s->add<AccessNode>("B");
    s->connect(a, "", m, "IN_A", memlet("A", {range("0", "N - 1")}));
    s->connect(b, "", m, "IN_B", memlet("B", {range("0", "N - 1")}));
    s->connect(m, "OUT_A", n, "x", memlet("A", {at("i")}));
    s->connect(m, "OUT_A", n, "y", memlet("A", {at("i + 1")}));
    s->connect(m, "OUT_B", n, "z", memlet("B", {at("i")}));
    s->connect(n, "x", m->exit, "IN_A", memlet("A", {at("i")}));
    s->connect(m->exit, "OUT_A", s->add<AccessNode>("A"), "", memlet("A", {range("0", "N - 1")}));
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(g);
    CHECK_FALSE(defaults.diags.hasErrors());
    CHECK(n->sdfg->desc("x")->storage == Storage::CPU_Pinned);
    CHECK(inside->schedule == Schedule::Sequential);
    CHECK(g.desc("unused")->storage == Storage::Register);
    CHECK(n->sdfg->desc("x")->mayAlias);
    CHECK(n->sdfg->desc("y")->mayAlias);
    CHECK_FALSE(n->sdfg->desc("z")->mayAlias);
}

TEST_CASE("what outlives a call is not in registers") {
    SDFG g("f");
    array(g, "kept", {16}, true);
    g.desc("kept")->lifetime = Lifetime::Persistent;
    state(g);
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(g);
    CHECK_FALSE(defaults.diags.hasErrors());
    CHECK(g.desc("kept")->storage == Storage::CPU_Heap);
}

TEST_CASE("a view has the storage of what it views") {
    SDFG g("f");
    array(g, "A", {16});
    g.desc("A")->storage = Storage::GPU_Global;
    array(g, "v", {4, 4}, true);
    g.desc("v")->alias = AliasKind::View;
    array(g, "B", {4, 4});
    State *s = state(g);
    auto *v = s->add<AccessNode>("v");
    s->connect(s->add<AccessNode>("A"), "", v, "views", memlet("A", {range("0", "15")}));
    s->connect(v, "", s->add<AccessNode>("B"), "", memlet("B", {range("0", "3"), range("0", "3")}));
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(g);
    CHECK(g.desc("v")->storage == Storage::GPU_Global);
}

TEST_CASE("a copy node between memories runs on the device") {
    SDFG g("f");
    array(g, "A", {16});
    array(g, "B", {16});
    g.desc("B")->storage = Storage::GPU_Global;
    State *s = state(g);
    auto *copy = s->add<LibraryNode>();
    copy->classPath = "dace.libraries.standard.nodes.copy.CopyLibraryNode";
    auto *other = s->add<LibraryNode>();
    other->classPath = "dace.libraries.standard.nodes.reduce.Reduce";
    s->connect(s->add<AccessNode>("A"), "", copy, "_in", memlet("A", {range("0", "15")}));
    s->connect(copy, "_out", s->add<AccessNode>("B"), "", memlet("B", {range("0", "15")}));
    s->connect(s->add<AccessNode>("A"), "", other, "_in", memlet("A", {range("0", "15")}));
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(g);
    CHECK_FALSE(defaults.diags.hasErrors());
    CHECK(copy->schedule == Schedule::GPU_Device);
    CHECK(other->schedule == Schedule::CPU_Multicore);
}

TEST_CASE("constants are in the program's text, whatever memory the graph names") {
    TwoLevels x;
    x.g.desc("A")->storage = Storage::GPU_Global;
    x.g.desc("A")->transient = true;
    x.g.constants.set("A", {*x.g.desc("A"), {}});
    PassRun defaults(transforms::createDefaultSchedules());
    CHECK(defaults(x.g));
    CHECK(x.storage("A") == Storage::CPU_Heap);
    CHECK(x.g.constants.find("A")->desc.storage == Storage::CPU_Heap);
    CHECK_FALSE(defaults(x.g));
}
