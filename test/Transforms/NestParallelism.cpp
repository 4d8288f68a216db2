// nest-parallelism: which map of a nest has the team, and how many loops it shares.
#include "GraphBuilder.h"

#include "sdfgc/Analysis/Verify.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

struct Loop {
    std::string parameter, size;
};
using Loops = std::vector<Loop>; // of one map
using Maps = std::vector<Loops>; // inside of each other

/// B[i, j, ...] = code(A[i, j, ...]) in CPU_Multicore maps inside of each other, one for each list of loops.
struct Program {
    SDFG g{"f"};
    State *s = nullptr;
    std::vector<MapEntry *> maps;
    Tasklet *t = nullptr;

    explicit Program(const Maps &nest, const std::string &code = "y = x + 1", bool writesAll = true) {
        g.symbols.set("N", ScalarKind::Int64);
        std::vector<sym::Expr> shape;
        std::vector<sym::Range> whole, element;
        for (const auto &loops : nest)
            for (const Loop &l : loops) {
                shape.push_back(expr(l.size));
                whole.push_back(range("0", l.size + " - 1"));
                element.push_back(at(l.parameter));
            }
        array(g, "A", shape);
        array(g, "B", shape);
        s = state(g);
        Node *from = s->add<AccessNode>(Name("A")), *to = s->add<AccessNode>(Name("B"));
        Name leaves, arrives;
        for (const auto &loops : nest) {
            std::vector<std::pair<std::string, sym::Range>> dims;
            for (const Loop &l : loops)
                dims.emplace_back(l.parameter, range("0", l.size + " - 1"));
            MapEntry *m = map(s, dims, Schedule::CPU_Multicore);
            maps.push_back(m);
            s->connect(from, leaves, m, "IN_A", memlet("A", whole));
            s->connect(m->exit, "OUT_B", to, arrives, memlet("B", whole));
            from = m;
            to = m->exit;
            leaves = Name("OUT_A");
            arrives = Name("IN_B");
        }
        t = tasklet(s, code);
        t->inConnectors.push_back({Name("x"), ScalarKind::Float64});
        t->outConnectors.push_back({Name("y"), ScalarKind::Float64});
        s->connect(from, leaves, t, "x", memlet("A", element));
        std::vector<sym::Range> written = element;
        if (!writesAll)
            written.back() = at("0");
        s->connect(t, "y", to, arrives, memlet("B", written));
        g.renumber();
    }

    bool run() {
        PassRun pass(transforms::createNestParallelism());
        pass.pass->options["few"] = int64_t(8);
        pass.pass->options["work"] = int64_t(65536);
        const bool changed = pass(g);
        diag::Engine diags;
        CHECK(analysis::verify(g, Level::Loaded, diags, "f"));
        return changed;
    }
    /// `Multicore 2 [i, j] > Sequential [k]`: schedule, collapse and parameters from outside to inside.
    std::string nest() {
        run();
        std::string text;
        const analysis::ScopeTree scopes(*s);
        for (const Node *n : scopes.order()) {
            const auto *m = dyn_cast<MapEntry>(n);
            if (!m)
                continue;
            text += (text.empty() ? "" : " > ") + std::string(m->schedule == Schedule::Sequential ? "one" : "team");
            text += m->collapse > 1 ? " " + std::to_string(m->collapse) : "";
            for (std::size_t d = 0; d < m->params.size(); ++d)
                text += (d == 0 ? " " : ",") + m->params[d].str();
        }
        return text;
    }
};

std::string nestOf(const Maps &nest, const std::string &code = "y = x + 1") { return Program(nest, code).nest(); }

} // namespace

TEST_CASE("nest-parallelism: one map of a nest has the team") {
    CHECK(nestOf(Maps{{{"i", "N"}}}) == "team i");
    CHECK(nestOf(Maps{{{"i", "N"}}, {{"j", "N"}}}) == "team i > one j");
    CHECK(nestOf(Maps{{{"i", "N"}, {"j", "N"}}, {{"k", "N"}}, {{"l", "N"}}}) == "team i,j > one k > one l");
    CHECK(nestOf(Maps{{{"i", "8"}}, {{"j", "N"}}}) == "team i > one j"); // enough
    CHECK(nestOf(Maps{{{"i", "1"}}, {{"j", "N"}}}) == "one i > team j");
}

TEST_CASE("nest-parallelism: few iterations around an innermost loop run one after another") {
    CHECK(nestOf(Maps{{{"i", "2"}}, {{"j", "N"}}}) == "one i > team j");
    CHECK(nestOf(Maps{{{"i", "2"}, {"j", "N"}}}) == "one i > team j");
    CHECK(nestOf(Maps{{{"i", "2"}, {"k", "3"}, {"j", "N"}}}) == "one i,k > team j");
    CHECK(nestOf(Maps{{{"i", "2"}}, {{"k", "3"}, {"j", "N"}}}) == "one i > one k > team j");
    CHECK(nestOf(Maps{{{"i", "2"}, {"j", "1000000"}}}) == "one i > team j");
    CHECK(nestOf(Maps{{{"i", "3"}, {"j", "15000"}}}) == "team i,j");         // 45000 operations each time: too little for a team
    CHECK(nestOf(Maps{{{"i", "2"}, {"j", "100"}}}) == "team i,j");           // altogether too little: guard-parallel-maps
    CHECK(nestOf(Maps{{{"i", "2"}, {"j", "N"}}}, "y = f(x)") == "team i,j"); // nobody knows what f does
}

TEST_CASE("nest-parallelism: a team shares several loops where the outermost one is short") {
    CHECK(nestOf(Maps{{{"i", "2"}, {"j", "N"}, {"k", "N"}}}) == "team 2 i,j,k");
    CHECK(nestOf(Maps{{{"i", "2"}, {"j", "3"}, {"k", "N"}, {"l", "N"}}}) == "team 3 i,j,k,l");
    CHECK(nestOf(Maps{{{"i", "4"}, {"j", "4"}, {"k", "N"}}}) == "team 2 i,j,k");
    CHECK(nestOf(Maps{{{"i", "4"}}, {{"j", "4"}, {"k", "N"}}}) == "team 2 i,j,k"); // one map
    CHECK(nestOf(Maps{{{"i", "4"}}, {{"j", "4"}}, {{"k", "N"}}}) == "team 2 i,j > one k");
    CHECK(nestOf(Maps{{{"i", "4"}, {"j", "1"}, {"k", "4"}, {"l", "N"}}}) == "team 2 i,j,k,l"); // loops of one iteration are none
}

TEST_CASE("nest-parallelism: loops become shared only where each iteration writes what no other one does") {
    CHECK(Program(Maps{{{"i", "2"}, {"j", "N"}}}, "y = x + 1", false).nest() == "team i,j");
    CHECK(Program(Maps{{{"i", "2"}, {"k", "N"}, {"j", "N"}}}, "y = x + 1", false).nest() == "team 2 i,k,j");
    Program dynamic(Maps{{{"i", "2"}, {"j", "N"}}});
    dynamic.t->outEdges().front()->memlet.dynamic = true;
    CHECK(dynamic.nest() == "team i,j");
}

TEST_CASE("nest-parallelism: what the graph asks for stays") {
    for (auto ask : {+[](MapEntry &m) { m.ompNumThreads = 2; }, +[](MapEntry &m) { m.ompSchedule = OmpSchedule::Dynamic; },
                     +[](MapEntry &m) { m.ompChunkSize = 4; }, +[](MapEntry &m) { m.instrument = Instrumentation::Timer; }}) {
        Program p(Maps{{{"i", "2"}}, {{"j", "N"}}});
        ask(*p.maps[0]);
        CHECK(p.nest() == "team i > one j");
    }
    Program shared(Maps{{{"i", "2"}, {"k", "2"}, {"j", "N"}}});
    shared.maps[0]->collapse = 2;
    CHECK(shared.nest() == "team 2 i,k,j");
    Program own(Maps{{{"i", "2"}, {"j", "N"}}});
    own.g.desc("B")->transient = true;
    own.g.desc("B")->storage = Storage::CPU_ThreadLocal;
    CHECK(own.nest() == "team i,j");
}

TEST_CASE("nest-parallelism: a triangle is no box") {
    Program p(Maps{{{"i", "2"}, {"j", "N"}, {"k", "N"}}});
    p.maps[0]->ranges[1] = range("0", "i");
    CHECK(p.nest() == "team i,j,k");
}

TEST_CASE("nest-parallelism: few iterations around maps that are worth a team each") {
    auto around = [](const std::string &size) {
        Program p(Maps{{{"i", "2"}}, {{"j", size}}});
        MapEntry *second = map(p.s, {{"k", range("0", "N - 1")}}, Schedule::CPU_Multicore);
        Tasklet *t = tasklet(p.s, "y = x");
        p.s->connect(p.maps[0], "OUT_A", second, "IN_A", memlet("A", {at("i"), range("0", "N - 1")}));
        p.s->connect(second, "OUT_A", t, "x", memlet("A", {at("i"), at("k")}));
        p.s->connect(t, "y", second->exit, "IN_B", memlet("B", {at("i"), at("k")}));
        p.s->connect(second->exit, "OUT_B", p.maps[0]->exit, "IN_B", memlet("B", {at("i"), range("0", "N - 1")}));
        p.g.renumber();
        return p.nest();
    };
    CHECK(around("N") == "one i > team j > team k");
    CHECK(around("100") == "one i > team j > team k"); // guard-parallel-maps will find it too small
}

TEST_CASE("nest-parallelism: teams are seen through nested SDFGs, sections of one are given up") {
    Program p(Maps{{{"i", "N"}}});
    p.s->removeNode(p.t);
    auto *n = nested(p.s, "inner");
    array(*n->sdfg, "a", {expr("1")});
    array(*n->sdfg, "b", {expr("1")});
    n->sdfg->openmpSections = true;
    State *s = state(*n->sdfg);
    MapEntry *inner = map(s, {{"k", range("0", "1000")}}, Schedule::CPU_Multicore);
    Tasklet *t = tasklet(s, "y = x");
    s->connect(s->add<AccessNode>(Name("a")), "", inner, "IN_a", memlet("a", {at("0")}));
    s->connect(inner, "OUT_a", t, "x", memlet("a", {at("0")}));
    s->connect(t, "y", inner->exit, "IN_b", memlet("b", {at("0")}));
    s->connect(inner->exit, "OUT_b", s->add<AccessNode>(Name("b")), "", memlet("b", {at("0")}));
    p.s->connect(p.maps[0], "OUT_A", n, "a", memlet("A", {at("i")}));
    p.s->connect(n, "b", p.maps[0]->exit, "IN_B", memlet("B", {at("i")}));
    p.g.renumber();
    CHECK(p.run());
    CHECK(inner->schedule == Schedule::Sequential);
    CHECK_FALSE(n->sdfg->openmpSections);
    CHECK(p.maps[0]->schedule == Schedule::CPU_Multicore);
}

TEST_CASE("nest-parallelism: in a kernel, and in a persistent map") {
    Program kernel(Maps{{{"i", "N"}}, {{"j", "N"}}});
    kernel.maps[0]->schedule = Schedule::GPU_Device;
    kernel.run();
    CHECK(kernel.maps[1]->schedule == Schedule::Sequential);

    Program persistent(Maps{{{"i", "4"}}, {{"j", "N"}}, {{"k", "N"}}});
    persistent.maps[0]->schedule = Schedule::CPU_Persistent;
    persistent.run();
    CHECK(persistent.maps[1]->schedule == Schedule::CPU_Multicore); // the team shares its iterations
    CHECK(persistent.maps[2]->schedule == Schedule::Sequential);
}

TEST_CASE("nest-parallelism: independent parts of a state are sections, whose maps have no teams") {
    Program p(Maps{{{"i", "N"}}});
    array(p.g, "C", {expr("N")});
    MapEntry *m = map(p.s, {{"i", range("0", "N - 1")}}, Schedule::CPU_Multicore);
    Tasklet *t = tasklet(p.s, "y = 1");
    p.s->connect(m, "", t, "", Memlet::empty());
    p.s->connect(t, "y", m->exit, "IN_C", memlet("C", {at("i")}));
    p.s->connect(m->exit, "OUT_C", p.s->add<AccessNode>(Name("C")), "", memlet("C", {range("0", "N - 1")}));
    p.g.openmpSections = true;
    p.g.renumber();
    p.run();
    CHECK(m->schedule == Schedule::Sequential);
    CHECK(p.maps[0]->schedule == Schedule::Sequential);
    CHECK(p.g.openmpSections);
}
