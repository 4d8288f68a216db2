// accumulate-in-threads: which dimensions become loops, and which maps are unchanged.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// C[c] (+)= A[i, k] in a map over `rows` and `columns`.
struct Sum : Graph {
    MapEntry *m = node<MapEntry>("m");
    Tasklet *t = node<Tasklet>("t");

    explicit Sum(const std::string &rows = "N", const std::string &columns = "M", const std::string &to = "i",
                 const std::string &how = "(+)")
        : Graph(R"(
            sdfg f {
              symbol N, M: int64
              transient A: float64[N, M] (GPU_Global)
              transient C: float64[N] (GPU_Global)
              state main {
                map m[i = 0:$rows, k = 0:$columns] (GPU_Device) with <- A[0:N, 0:M]; -> C[0:N] $how {
                  t: y = x  with x <- A[i, k]; y -> C[$to] $how
                }
              }
            }
          )",
                {{"$rows", rows}, {"$columns", columns}, {"$to", to}, {"$how", how}}) {}
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
    CHECK_FALSE(Sum("8", "M").split());          // too few threads for much to accumulate
    CHECK(Sum("8", "16").split());               // little of both
    CHECK(Sum("100000", "M").split());
    CHECK_FALSE(Sum("k + 1", "M").split()); // the range of k depends on i
    Sum sized;
    sized.m->gpuBlockSize = std::vector<sym::Expr>{32, 8, 1};
    CHECK_FALSE(sized.split());
    Sum host;
    host.m->schedule = Schedule::CPU_Multicore;
    CHECK_FALSE(host.split());
}
