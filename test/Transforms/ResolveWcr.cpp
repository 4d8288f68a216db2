#include "GraphBuilder.h"

#include "Transforms/Lower/DisjointIterations.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

sym::Range strided(const std::string &begin, const std::string &end, int step) { return {expr(begin), expr(end), step, 1}; }

/// A map whose tasklet updates `target[inside]`; the edge after the map says `target[outside]`.
struct UpdatingMap {
    SDFG g{"f"};
    State *s = state(g);
    MapEntry *m;
    AccessNode *node = nullptr;
    Edge *inner = nullptr, *outer = nullptr;

    explicit UpdatingMap(std::vector<std::pair<std::string, sym::Range>> dims, Schedule schedule = Schedule::CPU_Multicore)
        : m(map(s, std::move(dims), schedule)) {}
    UpdatingMap &add(const std::string &target, std::vector<sym::Range> inside, std::vector<sym::Range> outside,
                     const std::string &wcr = "lambda a, b: a + b") {
        Tasklet *t = tasklet(s, "y = 1");
        s->connect(m, "", t, "", Memlet::empty());
        if (!node)
            node = s->add<AccessNode>(target);
        std::string suffix = std::to_string(s->edges().size());
        inner = s->connect(t, "y", m->exit, "IN_" + suffix, update(target, std::move(inside), wcr));
        outer = s->connect(m->exit, "OUT_" + suffix, node, "", update(target, std::move(outside), wcr));
        return *this;
    }
    WcrMode resolve() {
        PassRun pass(transforms::createResolveWcr());
        pass(g);
        CHECK_FALSE(pass.context.remarks.empty());
        CHECK(outer->memlet.wcrMode != WcrMode::Unset);
        return inner->memlet.wcrMode;
    }
};

std::pair<std::string, sym::Range> overN() { return {"i", range("0", "N - 1")}; }

} // namespace

TEST_CASE("disjoint iterations") {
    sym::Assumptions facts;
    facts["N"].positive = true;
    using transforms::IterationParameter;
    auto disjoint = [&](std::vector<sym::Range> dims, std::vector<IterationParameter> p, std::set<Name> varying = {}) {
        return transforms::areIterationsDisjoint({std::move(dims)}, p, varying, facts);
    };
    IterationParameter i{"i", range("0", "N - 1"), true}, j{"j", range("0", "31"), true}, k{"k", range("0", "N - 1"), false};
    CHECK(disjoint({at("i")}, {i}));
    CHECK(disjoint({at("3 * i + 1")}, {i}));
    CHECK(disjoint({at("N - i")}, {i}));
    CHECK(disjoint({range("4 * i", "4 * i + 3")}, {i}));
    CHECK_FALSE(disjoint({range("4 * i", "4 * i + 4")}, {i}));
    CHECK_FALSE(disjoint({at("0")}, {i}));
    CHECK_FALSE(disjoint({at("i // 2")}, {i}));
    CHECK_FALSE(disjoint({at("i + j")}, {i, j}));
    CHECK(disjoint({at("32 * i + j")}, {i, j}));
    CHECK(disjoint({at("i * N + k")}, {i, k}));
    CHECK(disjoint({at("i + k"), at("i")}, {i, k}));
    CHECK(disjoint({at("i"), at("i + j")}, {i, j}));
    CHECK_FALSE(disjoint({at("i + k")}, {i, k}));
    CHECK_FALSE(disjoint({at("i")}, {i, j}));
    CHECK(disjoint({at("k")}, {k})); // nothing runs in parallel
    CHECK_FALSE(disjoint({at("i + x")}, {i}, {"x"}));
    CHECK(disjoint({at("i + x")}, {i}));
    // A step widens the room of one iteration.
    CHECK(disjoint({range("i", "i + 7")}, {{"i", strided("0", "N - 1", 8), true}}));
    CHECK_FALSE(disjoint({range("i", "i + 8")}, {{"i", strided("0", "N - 1", 8), true}}));
    // A triangular range of an open parameter is not a known extent.
    CHECK_FALSE(disjoint({at("100 * i + t")}, {i, {"t", range("0", "i"), true}}));
    CHECK(disjoint({at("i"), at("t")}, {i, {"t", range("0", "i"), true}}));
}

TEST_CASE("an element of its own for each iteration: plain") {
    UpdatingMap x({overN()});
    array(x.g, "B", {expr("N")});
    CHECK(x.add("B", {at("i")}, {range("0", "N - 1")}).resolve() == WcrMode::Plain);
    CHECK(x.outer->memlet.wcrMode == WcrMode::Plain);
}

TEST_CASE("one scalar for all iterations: reduction") {
    UpdatingMap x({overN()});
    scalar(x.g, "r");
    CHECK(x.add("r", {at("0")}, {at("0")}).resolve() == WcrMode::Reduction);
    CHECK(x.outer->memlet.wcrMode == WcrMode::Reduction);
}

TEST_CASE("an update whose old value is used is no reduction") {
    UpdatingMap x({overN()});
    array(x.g, "B", {8});
    x.add("B", {range("0", "7")}, {range("0", "7")});
    static_cast<Tasklet *>(x.inner->src)->code.text = "before = y[5] = 1";
    CHECK(x.resolve() == WcrMode::Atomic);
    static_cast<Tasklet *>(x.inner->src)->code.text = "y[5] = 1";
    CHECK(x.resolve() == WcrMode::Reduction);
}

TEST_CASE("what runs in sequence needs nothing") {
    UpdatingMap x({overN()}, Schedule::Sequential);
    scalar(x.g, "r");
    CHECK(x.add("r", {at("0")}, {at("0")}).resolve() == WcrMode::Plain);
}

TEST_CASE("threads share the outermost loop only, or as many as are collapsed") {
    for (int collapse : {1, 2}) {
        UpdatingMap rows({overN(), {"k", range("0", "N - 1")}, {"j", range("0", "N - 1")}});
        array(rows.g, "C", {expr("N"), expr("N")});
        rows.m->collapse = collapse;
        rows.add("C", {at("i"), at("j")}, {range("0", "N - 1"), range("0", "N - 1")});
        CHECK(rows.resolve() == (collapse == 1 ? WcrMode::Plain : WcrMode::Atomic));
    }
    UpdatingMap columns({{"k", range("0", "N - 1")}, overN()});
    array(columns.g, "C", {expr("N")});
    columns.add("C", {at("i")}, {range("0", "N - 1")});
    CHECK(columns.resolve() == WcrMode::Atomic);
}

TEST_CASE("wcr_nonatomic is believed") {
    UpdatingMap x({overN()});
    scalar(x.g, "r");
    x.add("r", {at("0")}, {at("0")});
    x.inner->memlet.wcrNonatomic = true;
    CHECK(x.resolve() == WcrMode::Plain);
}

TEST_CASE("small arrays are reduced as a whole, large ones updated atomically") {
    UpdatingMap small({overN()}), large({overN()});
    array(small.g, "h", {16}, false, ScalarKind::Int64);
    array(large.g, "h", {expr("N")}, false, ScalarKind::Int64);
    CHECK(small.add("h", {range("0", "15")}, {range("0", "15")}).resolve() == WcrMode::Reduction);
    CHECK(large.add("h", {range("0", "N - 1")}, {range("0", "N - 1")}).resolve() == WcrMode::Atomic);
}

TEST_CASE("operations and types without a clause are atomic") {
    auto modeFor = [](const std::string &wcr, Type t) {
        UpdatingMap x({overN()});
        scalar(x.g, "r", false, t);
        return x.add("r", {at("0")}, {at("0")}, wcr).resolve();
    };
    CHECK(modeFor("lambda a, b: max(a, b)", ScalarKind::Float32) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a | b", ScalarKind::Int32) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a and b", ScalarKind::Bool) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Complex128) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Float16) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + 2 * b", ScalarKind::Float64) == WcrMode::Atomic);
}

TEST_CASE("kernels: one element that every iteration updates is combined by blocks") {
    auto modeFor = [](const std::string &wcr, Type t, sym::Range iterations = range("0", "N - 1")) {
        UpdatingMap x({{"i", iterations}}, Schedule::GPU_Device);
        scalar(x.g, "r", false, t);
        return x.add("r", {at("0")}, {at("0")}, wcr).resolve();
    };
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Float64) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a * b", ScalarKind::Complex128) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: min(a, b)", ScalarKind::Float16) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: max(a, b)", ScalarKind::Int8) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a and b", ScalarKind::Bool) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a ^ b", ScalarKind::UInt64) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a - b", ScalarKind::Float64) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + 2 * b", ScalarKind::Float64) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + b", Type::vector(ScalarKind::Float64, 4)) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Float64, range("0", "31")) == WcrMode::Atomic); // not worth a barrier
}

TEST_CASE("kernels: elements that move with the iteration, and several elements, stay atomic") {
    UpdatingMap moving({{"i", range("0", "N - 1")}, {"j", range("0", "M - 1")}}, Schedule::GPU_Device);
    array(moving.g, "h", {expr("N")});
    CHECK(moving.add("h", {at("i")}, {range("0", "N - 1")}).resolve() == WcrMode::Atomic);
    UpdatingMap several({overN()}, Schedule::GPU_Device);
    array(several.g, "h", {4});
    CHECK(several.add("h", {range("0", "3")}, {range("0", "3")}).resolve() == WcrMode::Atomic);
    UpdatingMap one({overN()}, Schedule::GPU_Device);
    array(one.g, "h", {4});
    CHECK(one.add("h", {at("2")}, {at("2")}).resolve() == WcrMode::Reduction);
}

TEST_CASE("a reduction needs the container for itself") {
    SECTION("read in the map") {
        UpdatingMap x({overN()});
        scalar(x.g, "r");
        x.add("r", {at("0")}, {at("0")});
        x.s->connect(x.s->add<AccessNode>("r"), "", x.m, "IN_r", memlet("r", {at("0")}));
        x.s->connect(x.m, "OUT_r", tasklet(x.s, "pass"), "x", memlet("r", {at("0")}));
        CHECK(x.resolve() == WcrMode::Atomic);
    }
    SECTION("another operation") {
        UpdatingMap x({overN()});
        scalar(x.g, "r");
        x.add("r", {at("0")}, {at("0")}, "lambda a, b: a * b");
        CHECK(x.add("r", {at("0")}, {at("0")}).resolve() == WcrMode::Atomic);
    }
    SECTION("another element") {
        UpdatingMap x({overN()});
        array(x.g, "r", {2});
        x.add("r", {at("1")}, {at("1")});
        CHECK(x.add("r", {at("0")}, {at("0")}).resolve() == WcrMode::Atomic);
    }
    SECTION("the same update twice") {
        UpdatingMap x({overN()});
        scalar(x.g, "r");
        x.add("r", {at("0")}, {at("0")});
        CHECK(x.add("r", {at("0")}, {at("0")}).resolve() == WcrMode::Reduction);
    }
}

TEST_CASE("two writes that overlap between iterations") {
    UpdatingMap shifted({overN()}), apart({overN()});
    array(shifted.g, "B", {expr("2 * N + 2")});
    array(apart.g, "B", {expr("2 * N")});
    shifted.add("B", {at("i")}, {range("0", "N - 1")});
    CHECK(shifted.add("B", {at("i + 1")}, {range("1", "N")}).resolve() == WcrMode::Atomic);
    apart.add("B", {at("i")}, {range("0", "N - 1")});
    CHECK(apart.add("B", {at("i + N")}, {range("N", "2 * N - 1")}).resolve() == WcrMode::Plain);
}

TEST_CASE("two writes that only meet within an iteration") {
    using Dims = std::vector<sym::Range>;
    const Dims whole = {range("0", "N - 1"), range("0", "N - 1")};
    auto both = [&](std::vector<std::pair<std::string, sym::Range>> params, Dims first, Dims second,
                    Schedule schedule = Schedule::GPU_Device) {
        UpdatingMap m(std::move(params), schedule);
        array(m.g, "C", {expr("N"), expr("N")});
        m.add("C", std::move(first), whole);
        return m.add("C", std::move(second), whole).resolve();
    };
    const Dims row = {at("i"), range("i", "N - 1")}, column = {range("i", "N - 1"), at("i")};
    CHECK(both({overN()}, row, column) == WcrMode::Plain);
    CHECK(both({overN()}, column, row) == WcrMode::Plain);
    CHECK(both({overN()}, row, column, Schedule::CPU_Multicore) == WcrMode::Plain);
    // One element more, and they meet.
    CHECK(both({overN()}, row, {range("i - 1", "N - 1"), at("i")}) == WcrMode::Atomic);
    CHECK(both({overN()}, {at("i"), range("0", "N - 1")}, column) == WcrMode::Atomic);
    // [i, j] of the thread (i, j) is [j, i] of another one; a block's rows and columns are those of several threads.
    CHECK(both({overN(), {"j", range("0", "N - 1")}}, {at("i"), at("j")}, {at("j"), at("i")}) == WcrMode::Atomic);
    CHECK(both({overN(), {"j", range("0", "N - 1")}}, {at("i"), at("j")}, {at("j"), at("i")}, Schedule::CPU_Multicore) ==
          WcrMode::Atomic);
}

TEST_CASE("a row and a column of a triangle, by a nested SDFG and a loop of the thread") {
    // map[i] { map[j = i:N] { nested { x[0] += 1; y[0] = 1 } -> C[i, j], C[j, i] } }
    auto resolve = [](const std::string &begin, Schedule inside) {
        SDFG g("f");
        array(g, "C", {expr("N"), expr("N")});
        State *s = state(g);
        MapEntry *outer = map(s, {overN()}, Schedule::GPU_Device),
                 *inner = map(s, {{"j", range(begin, "N - 1")}}, Schedule::Sequential);
        NestedSDFGNode *n = nested(s, "inner");
        for (const char *name : {"x", "y"})
            array(*n->sdfg, name, {1});
        State *in = state(*n->sdfg);
        MapEntry *body = map(in, {{"k", range("0", "9")}}, inside);
        Tasklet *t = tasklet(in, "o = 1");
        in->connect(body, "", t, "", Memlet::empty());
        Edge *e = in->connect(t, "o", body->exit, "IN_x", update("x", {at("0")}));
        in->connect(body->exit, "OUT_x", in->add<AccessNode>("x"), "", update("x", {at("0")}));
        in->connect(tasklet(in, "o = 1"), "o", in->add<AccessNode>("y"), "", memlet("y", {at("0")}));
        s->connect(outer, "", inner, "", Memlet::empty());
        s->connect(inner, "", n, "", Memlet::empty());
        s->connect(n, "x", inner->exit, "IN_C", memlet("C", {at("i"), at("j")}));
        s->connect(n, "y", inner->exit, "IN_C", memlet("C", {at("j"), at("i")}));
        // After the loop one edge stands for both.
        s->connect(inner->exit, "OUT_C", outer->exit, "IN_C", memlet("C", {range("0", "N - 1"), range("0", "N - 1")}));
        s->connect(outer->exit, "OUT_C", s->add<AccessNode>("C"), "", memlet("C", {range("0", "N - 1"), range("0", "N - 1")}));
        PassRun(transforms::createResolveWcr())(g);
        return e->memlet.wcrMode;
    };
    CHECK(resolve("i", Schedule::Sequential) == WcrMode::Plain);
    CHECK(resolve("0", Schedule::Sequential) == WcrMode::Atomic);
    CHECK(resolve("i", Schedule::GPU_ThreadBlock) == WcrMode::Atomic);
}

TEST_CASE("a container private to an iteration") {
    SDFG g("f");
    scalar(g, "p", true);
    State *s = state(g);
    MapEntry *outer = map(s, {overN()}, Schedule::CPU_Multicore), *inner = map(s, {{"j", range("0", "3")}}, Schedule::Sequential);
    Tasklet *t = tasklet(s, "y = 1");
    auto *p = s->add<AccessNode>("p");
    s->connect(outer, "", inner, "", Memlet::empty());
    s->connect(inner, "", t, "", Memlet::empty());
    Edge *e = s->connect(t, "y", inner->exit, "IN_p", update("p", {at("0")}));
    s->connect(inner->exit, "OUT_p", p, "", update("p", {at("0")}));
    s->connect(p, "", outer->exit, "", Memlet::empty());
    auto resolve = [&] {
        PassRun(transforms::createResolveWcr())(g);
        return e->memlet.wcrMode;
    };
    CHECK(resolve() == WcrMode::Plain);
    // Parallel inside as well: the iterations of the inner map share it.
    inner->schedule = Schedule::CPU_Multicore;
    CHECK(resolve() == WcrMode::Atomic);
    inner->schedule = Schedule::Sequential;
    // Used outside, too: one container for all iterations.
    s->add<AccessNode>("p");
    CHECK(resolve() == WcrMode::Atomic);
}

TEST_CASE("nested parallel maps over one element: a reduction of the outermost one") {
    SDFG g("f");
    scalar(g, "r");
    State *s = state(g);
    MapEntry *outer = map(s, {overN()}, Schedule::CPU_Multicore), *inner = map(s, {{"j", range("0", "3")}}, Schedule::Sequential);
    Tasklet *t = tasklet(s, "y = 1");
    s->connect(outer, "", inner, "", Memlet::empty());
    s->connect(inner, "", t, "", Memlet::empty());
    Edge *e = s->connect(t, "y", inner->exit, "IN_r", update("r", {at("0")}));
    s->connect(inner->exit, "OUT_r", outer->exit, "IN_r", update("r", {at("0")}));
    Edge *last = s->connect(outer->exit, "OUT_r", s->add<AccessNode>("r"), "", update("r", {at("0")}));
    auto resolve = [&] {
        PassRun(transforms::createResolveWcr())(g);
        CHECK(e->memlet.wcrMode == last->memlet.wcrMode);
        return e->memlet.wcrMode;
    };
    CHECK(resolve() == WcrMode::Reduction);
    outer->schedule = Schedule::CPU_Persistent;
    CHECK(resolve() == WcrMode::Atomic);
    outer->schedule = Schedule::GPU_Device;
    CHECK(resolve() == WcrMode::Reduction);
    inner->schedule = Schedule::GPU_ThreadBlock;
    CHECK(resolve() == WcrMode::Reduction);
    inner->schedule = Schedule::GPU_Device;
    CHECK(resolve() == WcrMode::Atomic);
}

TEST_CASE("a persistent map is run by every thread, whatever its range says") {
    SDFG g("f");
    scalar(g, "r");
    array(g, "A", {expr("N")});
    State *s = state(g);
    MapEntry *threads = map(s, {{"t", range("0", "0")}}, Schedule::CPU_Persistent);
    Tasklet *t = tasklet(s, "y = 1");
    s->connect(threads, "", t, "", Memlet::empty());
    Edge *own = s->connect(t, "y", threads->exit, "IN_A", update("A", {at("t")}));
    s->connect(threads->exit, "OUT_A", s->add<AccessNode>("A"), "", update("A", {range("0", "N - 1")}));
    Edge *all = s->connect(t, "y", threads->exit, "IN_r", update("r", {at("0")}));
    s->connect(threads->exit, "OUT_r", s->add<AccessNode>("r"), "", update("r", {at("0")}));
    // Its threads share the iterations of a parallel map in it.
    MapEntry *shared = map(s, {overN()}, Schedule::CPU_Multicore);
    Tasklet *u = tasklet(s, "y = 1");
    array(g, "B", {expr("N")});
    s->connect(threads, "", shared, "", Memlet::empty());
    s->connect(shared, "", u, "", Memlet::empty());
    Edge *each = s->connect(u, "y", shared->exit, "IN_B", update("B", {at("i")}));
    s->connect(shared->exit, "OUT_B", threads->exit, "IN_B", update("B", {range("0", "N - 1")}));
    s->connect(threads->exit, "OUT_B", s->add<AccessNode>("B"), "", update("B", {range("0", "N - 1")}));

    PassRun(transforms::createResolveWcr())(g);
    CHECK(all->memlet.wcrMode == WcrMode::Atomic);
    CHECK(own->memlet.wcrMode == WcrMode::Plain);
    CHECK(each->memlet.wcrMode == WcrMode::Plain);
    shared->schedule = Schedule::Sequential; // every thread runs all of it
    PassRun(transforms::createResolveWcr())(g);
    CHECK(each->memlet.wcrMode == WcrMode::Atomic);
    threads->ompNumThreads = 1;
    PassRun(transforms::createResolveWcr())(g);
    CHECK(each->memlet.wcrMode == WcrMode::Plain);
    CHECK(all->memlet.wcrMode == WcrMode::Plain);
}

namespace {

/// map[i] { nested { x[inside] += 1 } } -> A[outside]
struct NestedUpdate {
    SDFG g{"f"};
    MapEntry *m;
    NestedSDFGNode *n;
    Edge *e;
    NestedUpdate(std::vector<sym::Expr> innerShape, const std::string &inside, sym::Range connected) {
        array(g, "A", {expr("N")});
        State *s = state(g);
        m = map(s, {overN()}, Schedule::CPU_Multicore);
        n = nested(s, "inner");
        array(*n->sdfg, "x", std::move(innerShape));
        State *in = state(*n->sdfg);
        e = in->connect(tasklet(in, "y = 1"), "y", in->add<AccessNode>("x"), "", update("x", {at(inside)}));
        s->connect(m, "", n, "", Memlet::empty());
        s->connect(n, "x", m->exit, "IN_A", memlet("A", {connected}));
        s->connect(m->exit, "OUT_A", s->add<AccessNode>("A"), "", memlet("A", {range("0", "N - 1")}));
    }
    WcrMode resolve() {
        PassRun(transforms::createResolveWcr())(g);
        return e->memlet.wcrMode;
    }
};

} // namespace

TEST_CASE("writes in nested SDFGs are followed into the scopes around them") {
    CHECK(NestedUpdate({1}, "0", at("i")).resolve() == WcrMode::Plain);
    CHECK(NestedUpdate({1}, "0", at("0")).resolve() == WcrMode::Atomic);
    NestedUpdate sequential({1}, "0", at("0"));
    sequential.m->schedule = Schedule::Sequential;
    CHECK(sequential.resolve() == WcrMode::Plain);

    // The whole container is passed, the index comes in as a symbol.
    NestedUpdate whole({expr("N")}, "where", range("0", "N - 1"));
    whole.n->symbolMapping = {{"N", expr("N")}, {"where", expr("i")}};
    CHECK(whole.resolve() == WcrMode::Plain);
    whole.n->symbolMapping = {{"N", expr("N")}, {"where", expr("i // 2")}};
    CHECK(whole.resolve() == WcrMode::Atomic);
    // An inner symbol that is assigned inside means nothing outside, whatever it is called there.
    whole.n->symbolMapping = {{"N", expr("N")}, {"where", expr("i")}};
    State *late = state(*whole.n->sdfg, "late");
    whole.n->sdfg->connect(whole.n->sdfg->blocks()[0].get(), late, {"1"}, {{"where", "3"}});
    CHECK(whole.resolve() == WcrMode::Atomic);
}

TEST_CASE("an update through a view touches what is viewed") {
    auto build = [](const std::string &viewed) {
        SDFG g("f");
        array(g, "A", {expr("4 * N")});
        array(g, "v", {4}, true);
        g.desc("v")->alias = AliasKind::View;
        State *s = state(g);
        MapEntry *m = map(s, {overN()}, Schedule::CPU_Multicore);
        Tasklet *t = tasklet(s, "y = 1");
        auto *v = s->add<AccessNode>("v");
        s->connect(m, "", t, "", Memlet::empty());
        Edge *e = s->connect(t, "y", v, "", update("v", {at("2")}));
        s->connect(v, "views", m->exit, "IN_A", memlet("A", {range(viewed, viewed + " + 3")}));
        s->connect(m->exit, "OUT_A", s->add<AccessNode>("A"), "", memlet("A", {range("0", "4 * N - 1")}));
        PassRun(transforms::createResolveWcr())(g);
        return e->memlet.wcrMode;
    };
    CHECK(build("4 * i") == WcrMode::Plain);
    CHECK(build("3 * i") == WcrMode::Atomic);
}

TEST_CASE("dynamic ranges of inner scopes differ between iterations") {
    SDFG g("f");
    array(g, "B", {expr("2 * N")});
    array(g, "k", {expr("N")}, false, ScalarKind::Int64);
    State *s = state(g);
    MapEntry *outer = map(s, {overN()}, Schedule::CPU_Multicore), *inner = map(s, {{"j", range("0", "0")}}, Schedule::Sequential);
    Tasklet *t = tasklet(s, "y = 1");
    s->connect(s->add<AccessNode>("k"), "", outer, "IN_k", memlet("k", {range("0", "N - 1")}));
    s->connect(outer, "OUT_k", inner, "off", memlet("k", {at("i")}));
    s->connect(inner, "", t, "", Memlet::empty());
    Edge *e = s->connect(t, "y", inner->exit, "IN_B", update("B", {at("i + off")}));
    s->connect(inner->exit, "OUT_B", outer->exit, "IN_B", update("B", {range("0", "2 * N - 1")}));
    s->connect(outer->exit, "OUT_B", s->add<AccessNode>("B"), "", update("B", {range("0", "2 * N - 1")}));
    PassRun(transforms::createResolveWcr())(g);
    CHECK(e->memlet.wcrMode == WcrMode::Atomic);
}
