// guard-parallel-maps: which maps run on one thread, which get a condition, and which stay.
#include "GraphBuilder.h"

#include "sdfgc/Analysis/Work.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// B[i] = code(A[i]) in map[i = begin:end] CPU_Multicore, with `N` and `M` as symbols.
struct Program {
    SDFG g{"f"};
    State *s;
    MapEntry *m;
    Tasklet *t;
    explicit Program(const std::string &end = "N - 1", const std::string &code = "y = x + 1") {
        for (const char *symbol : {"N", "M"})
            g.symbols.set(symbol, ScalarKind::Int64);
        array(g, "A", {expr("N")});
        array(g, "B", {expr("N")});
        s = state(g);
        m = map(s, {{"i", range("0", end)}}, Schedule::CPU_Multicore);
        t = tasklet(s, code);
        s->connect(s->add<AccessNode>(Name("A")), "", m, "IN_A", memlet("A", {range("0", "N - 1")}));
        s->connect(m, "OUT_A", t, "x", memlet("A", {at("i")}));
        s->connect(t, "y", m->exit, "IN_B", memlet("B", {at("i")}));
        s->connect(m->exit, "OUT_B", s->add<AccessNode>(Name("B")), "", memlet("B", {range("0", "N - 1")}));
        g.renumber();
    }
    std::string work() const {
        auto w = analysis::workOf(*m, analysis::ScopeTree(*s));
        return w ? w->str() : "unknown";
    }
    bool guard(int64_t threshold = 65536) {
        PassRun pass(transforms::createGuardParallelMaps());
        pass.pass->options["work"] = threshold;
        return pass(g);
    }
};

/// The map around a map over j, of which the range is given.
std::string workAround(const std::string &begin, const std::string &end) {
    Program p("N - 1");
    MapEntry *inner = map(p.s, {{"j", range(begin, end)}}, Schedule::Sequential);
    p.s->removeEdge(p.m->outEdges().front());
    p.s->removeEdge(p.t->outEdges().front());
    p.s->connect(p.m, "OUT_A", inner, "IN_A", memlet("A", {at("i")}));
    p.s->connect(inner, "OUT_A", p.t, "x", memlet("A", {at("i")}));
    p.s->connect(p.t, "y", inner->exit, "IN_B", memlet("B", {at("i")}));
    p.s->connect(inner->exit, "OUT_B", p.m->exit, "IN_B", memlet("B", {at("i")}));
    p.g.renumber();
    return p.work();
}

} // namespace

TEST_CASE("work: operations, loads and stores of all iterations") {
    CHECK(Program().work() == "3*N");
    CHECK(Program("N - 1", "y = x / 3").work() == "10*N"); // a division is as much as eight additions
    CHECK(Program("N - 1", "y = math.sin(x) + min(x, 1)").work() == "36*N");
    CHECK(Program("99", "y = x").work() == "200");
    CHECK(Program("N - 1", "y = callback(x)").work() == "unknown");
    CHECK(Program("N - 1", "for k in range(7):\n    y = x").work() == "unknown");
    CHECK(Program("A[0]").work() == "unknown"); // depends on data
    Program native;
    native.t->code.language = Language::CPP;
    CHECK(native.work() == "unknown");
    Program dynamic;
    dynamic.m->inConnectors.push_back({Name("n"), {}});
    CHECK(dynamic.work() == "unknown");
}

TEST_CASE("work: maps inside") {
    CHECK(workAround("0", "M - 1") == "3*M*N");
    CHECK(workAround("i", "min(i + 31, N - 1)") == "96*N");
    CHECK(workAround("i", "N - 1") == expr("3*N*(N + 1)/2").str()); // a triangle: the middle counts
}

TEST_CASE("work: what a nested SDFG does, in symbols from outside") {
    auto around = [](const std::string &symbol, bool changes) {
        Program p;
        p.s->removeNode(p.t);
        auto *n = nested(p.s, "inner");
        SDFG &g = *n->sdfg;
        g.symbols.set("K", ScalarKind::Int64);
        g.symbols.set("L", ScalarKind::Int64);
        n->symbolMapping = {{Name("K"), expr("2*M")}};
        array(g, "a", {expr("1")});
        array(g, "b", {expr("1")});
        State *first = state(g, "first"), *s = state(g, "inner");
        g.connect(first, s, {"1", Language::Python},
                  changes ? std::vector<std::pair<Name, std::string>>{{Name("K"), "7"}}
                          : std::vector<std::pair<Name, std::string>>{});
        MapEntry *m = map(s, {{"k", range("0", symbol + " - 1")}}, Schedule::Sequential);
        Tasklet *t = tasklet(s, "y = x");
        s->connect(s->add<AccessNode>(Name("a")), "", m, "IN_a", memlet("a", {at("0")}));
        s->connect(m, "OUT_a", t, "x", memlet("a", {at("0")}));
        s->connect(t, "y", m->exit, "IN_b", memlet("b", {at("0")}));
        s->connect(m->exit, "OUT_b", s->add<AccessNode>(Name("b")), "", memlet("b", {at("0")}));
        p.s->connect(p.m, "OUT_A", n, "a", memlet("A", {at("i")}));
        p.s->connect(n, "b", p.m->exit, "IN_B", memlet("B", {at("i")}));
        p.g.renumber();
        return p.work();
    };
    CHECK(around("K", false) == "4*M*N");
    CHECK(around("K", true) == "unknown");  // another value than the one that it is given
    CHECK(around("L", false) == "unknown"); // one of its own
}

TEST_CASE("guard: constant work decides, symbolic work becomes a condition") {
    Program little("99");
    REQUIRE(little.guard());
    CHECK(little.m->schedule == Schedule::Sequential);

    Program much("99999");
    CHECK_FALSE(much.guard());
    CHECK(much.m->schedule == Schedule::CPU_Multicore);
    CHECK(much.m->ompIf == sym::Expr::boolean(true));

    Program symbolic;
    REQUIRE(symbolic.guard());
    CHECK(symbolic.m->schedule == Schedule::CPU_Multicore);
    CHECK(symbolic.m->ompIf == expr("N >= 20000")); // 65536 / 3, to one digit
    CHECK_FALSE(symbolic.guard());

    Program open("N - 3");
    REQUIRE(open.guard());
    CHECK(open.m->ompIf == expr("N >= 20000")); // not N - 2

    Program heavy("N - 1", "y = x ** 2.5");
    CHECK_FALSE(heavy.guard(20)); // each iteration is enough
}

TEST_CASE("guard: maps that stay") {
    CHECK_FALSE(Program("N - 1", "y = callback(x)").guard());
    CHECK_FALSE(Program("99").guard(0)); // every map shall have a team
    Program asked("99");
    asked.m->ompNumThreads = 2;
    CHECK_FALSE(asked.guard());

    // Threads of a persistent map share the iterations: each would do all of them.
    Program p("99");
    MapEntry *team = map(p.s, {{"thread", range("0", "3")}}, Schedule::CPU_Persistent);
    std::vector<Edge *> in(p.m->inEdges().begin(), p.m->inEdges().end()),
        out(p.m->exit->outEdges().begin(), p.m->exit->outEdges().end());
    p.s->connect(in[0]->src, "", team, "IN_A", in[0]->memlet);
    p.s->connect(team, "OUT_A", p.m, "IN_A", in[0]->memlet);
    p.s->connect(p.m->exit, "OUT_B", team->exit, "IN_B", out[0]->memlet);
    p.s->connect(team->exit, "OUT_B", out[0]->dst, "", out[0]->memlet);
    p.s->removeEdge(in[0]);
    p.s->removeEdge(out[0]);
    p.g.renumber();
    CHECK_FALSE(p.guard());
}

TEST_CASE("guard-parallel-maps: what threads have for themselves is found again by the same threads") {
    // One map writes each thread's part, another one of unknown work may read it: both or none on a team.
    Program p("7");
    p.g.desc("B")->transient = true;
    p.g.desc("B")->storage = Storage::CPU_ThreadLocal;
    CHECK_FALSE(p.guard());
    CHECK(p.m->schedule == Schedule::CPU_Multicore);
    p.g.desc("B")->storage = Storage::CPU_Heap;
    CHECK(p.guard());
    CHECK(p.m->schedule == Schedule::Sequential);
}
