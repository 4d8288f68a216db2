// order-threads: which parameter is last, and which kernels get blocks for accesses along two of them.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// B[$to] = A[$from] in a kernel over `i`, `j` and one iteration of `o`.
struct Moves : Graph {
    MapEntry *m = node<MapEntry>("m");
    PassRun pass{transforms::createOrderThreads()};

    explicit Moves(const std::string &from, const std::string &to, const std::string &ranges = "i = 0:N, j = 0:N",
                   const std::string &strides = "")
        : Graph(R"(
            sdfg f {
              symbol N: int64
              transient A: float64[N, N] (GPU_Global$strides)
              transient B: float64[N, N] (GPU_Global$strides)
              state main {
                map m[$ranges] (GPU_Device) with <- A[0:N, 0:N]; -> B[0:N, 0:N] {
                  t: y = x  with x <- A[$from]; y -> B[$to]
                }
              }
            }
          )",
                {{"$ranges", ranges}, {"$from", from}, {"$to", to}, {"$strides", strides}}) {}
    /// `i, j in 8 x 32`; `i, j` if nothing has changed.
    std::string order() {
        const bool changed = pass(g);
        std::string text;
        for (Name p : m->params)
            text += (text.empty() ? "" : ", ") + p.str();
        if (m->gpuBlockSize)
            text += " in " + (*m->gpuBlockSize)[0].str() + " x " + (*m->gpuBlockSize)[1].str();
        CHECK(changed == (text != "i, j"));
        return text;
    }
};

/// Sums along a column in each thread, in a nested SDFG.
Graph sums() {
    return Graph(R"(
        sdfg f {
          symbol N: int64
          transient A: float64[N, N, N] (GPU_Global)
          transient s: float64[N, N] (GPU_Global)
          state main {
            map m[i = 0:N, j = 0:N] (GPU_Device) with <- A[0:N, 0:N, 0:N]; -> s[0:N, 0:N] {
              nested sum[N = N] with a <- A[0:N, j, i]; b -> s[i, j] {
                sdfg sum {
                  symbol N: int64
                  argument a: float64[N] (strides = ["N*N"])
                  argument b: float64[1]
                  state main {
                    map inner[k = 0:N] (Sequential) with <- a[0:N]; -> b[0] (+) {
                      t: y = x  with x <- a[k]; y -> b[0] (+)
                    }
                  }
                }
              }
            }
          }
        }
    )");
}

} // namespace

TEST_CASE("order-threads: what moves to neighbours goes last") {
    CHECK(Moves("i, j", "i, j").order() == "i, j");
    CHECK(Moves("j, i", "j, i").order() == "j, i");
    CHECK(Moves("j + 1, i - 1", "j, 2").order() == "j, i");
    CHECK(Moves("i, 3", "i, 3").order() == "i, j"); // all threads of a warp have one element
    CHECK(Moves("i, 2*j", "i, 2*j").order() == "i, j");
    CHECK(Moves("i, j", "i, j", "i = 0:N, j = 0:N", ", strides = [1, N]").order() == "j, i");
    CHECK(Moves("i, j", "i, j", "i = 0:N, j = 3").order() == "j, i"); // a single iteration does not fill a warp
    CHECK(Moves("i, N - j - 1", "i, j").order() == "i, j");
}

TEST_CASE("order-threads: a transposition gets rows along both") {
    Moves transposition("i, j", "j, i");
    CHECK(transposition.order() == "i, j in 8 x 32");
    CHECK(transposition.pass.context.remarks.back().text == "the rows of blocks run along `i`, too");
    CHECK(Moves("j, i", "i, j").order() == "i, j in 8 x 32");
    CHECK(Moves("i, j", "j, i", "i = 3, j = 0:N").order() == "i, j"); // no rows of one element
}

TEST_CASE("order-threads: kernels that stay") {
    Moves sized("j, i", "j, i");
    sized.m->gpuBlockSize = std::vector<sym::Expr>{64, 2, 1};
    CHECK_FALSE(sized.pass(sized.g));
    Moves host("j, i", "j, i");
    host.m->schedule = Schedule::Sequential;
    CHECK_FALSE(host.pass(host.g));
    CHECK(Moves("j, i", "j, i", "i = 0:N, j = 0:i + 1").order() == "i, j"); // ranges that depend on each other
}

TEST_CASE("order-threads: the order of what blocks combine is part of the result") {
    for (const bool ordered : {true, false}) {
        Moves sum("j, i", "0, 0");
        Memlet &total = sum.m->exit->outEdges().front()->memlet;
        total.wcr = "lambda a, b: a + b";
        total.wcrMode = WcrMode::Reduction;
        sum.pass.options.reductions = ordered ? pass::ReductionOrder::Ordered : pass::ReductionOrder::Any;
        CHECK(sum.pass(sum.g) == !ordered);
    }
}

TEST_CASE("order-threads: accesses of nested SDFGs and loops count") {
    Graph g = sums();
    PassRun pass(transforms::createOrderThreads());
    REQUIRE(pass(g.g));
    auto *m = g.node<MapEntry>("m");
    CHECK(m->params == std::vector<Name>{"j", "i"}); // N elements of A along i, but only one of s along j
    CHECK_FALSE(m->gpuBlockSize);
}
