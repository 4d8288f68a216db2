// accumulate-in-threads: which dimensions become loops, and which maps stay as they are.
#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// C[c] (+)= A[i, k] in map[i = 0:n, k = 0:m] GPU_Device.
struct Sum {
    SDFG g{"f"};
    State *s;
    MapEntry *m;
    Tasklet *t;
    explicit Sum(const std::string &n = "N", const std::string &m_ = "M", const std::string &c = "i",
                 const std::string &wcr = "lambda a, b: a + b") {
        for (const char *symbol : {"N", "M"})
            g.symbols.set(symbol, ScalarKind::Int64);
        array(g, "A", {expr("N"), expr("M")}, true);
        array(g, "C", {expr("N")}, true);
        for (const char *name : {"A", "C"})
            g.desc(Name(name))->storage = Storage::GPU_Global;
        s = state(g);
        m = map(s, {{"i", range("0", n + " - 1")}, {"k", range("0", m_ + " - 1")}}, Schedule::GPU_Device);
        t = tasklet(s, "y = x");
        s->connect(s->add<AccessNode>(Name("A")), "", m, "IN_A", memlet("A", {range("0", "N - 1"), range("0", "M - 1")}));
        s->connect(m, "OUT_A", t, "x", memlet("A", {at("i"), at("k")}));
        Memlet w = memlet("C", {at(c)}), all = memlet("C", {range("0", "N - 1")});
        w.wcr = all.wcr = wcr;
        s->connect(t, "y", m->exit, "IN_C", w);
        s->connect(m->exit, "OUT_C", s->add<AccessNode>(Name("C")), "", all);
    }
    bool split() {
        PassRun pass(transforms::createAccumulateInThreads());
        return pass(g);
    }
};

} // namespace

TEST_CASE("accumulation: what the result does not depend on is a loop of each thread") {
    Sum sum;
    REQUIRE(sum.split());
    CHECK(sum.m->params == std::vector<Name>{"i"});
    auto *loop = dyn_cast<MapEntry>(sum.m->outEdges().front()->dst);
    REQUIRE(loop);
    CHECK(loop->schedule == Schedule::Sequential);
    CHECK(loop->params == std::vector<Name>{"k"});
    CHECK(loop->outEdges().front()->dst == sum.t);
    CHECK(sum.m->exit->inEdges().front()->src == loop->exit);
    CHECK(sum.m->exit->inEdges().front()->memlet.wcr != "");
    CHECK_FALSE(sum.split()); // nothing is left to do
}

TEST_CASE("accumulation: maps that stay") {
    CHECK_FALSE(Sum("N", "M", "i", "").split()); // a plain write
    CHECK_FALSE(Sum("N", "M", "i + k").split()); // each parameter is in the subset
    CHECK_FALSE(Sum("N", "M", "0").split());     // nothing would remain
    CHECK_FALSE(Sum("8", "M").split());          // too few threads, much to accumulate
    CHECK(Sum("8", "16").split());               // little of both
    CHECK(Sum("100000", "M").split());
    CHECK_FALSE(Sum("k + 1", "M").split()); // i ends where k is
    Sum sized;
    sized.m->gpuBlockSize = std::vector<sym::Expr>{32, 8, 1};
    CHECK_FALSE(sized.split());
    Sum host;
    host.m->schedule = Schedule::CPU_Multicore;
    CHECK_FALSE(host.split());
}
