// balance-threads: which maps are triangular, and which of these are unchanged.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Costs/Work.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A map over i with a map over j inside; `header`: the range of the first map and its attributes; `row`: the range of the second.
struct Program : Graph {
    explicit Program(const std::string &header, const std::string &row, const std::string &write = "B[i]")
        : Graph(R"(
            sdfg f(A, B) {
              symbol N, M, K: int64
              argument A: float64[N, N]
              argument B: float64[N]
              state main {
                map m[i = $header) with <- A[0:N, 0:N]; -> B[0:N] {
                  map row[j = $row] (Sequential) with <- A[i, 0:N]; -> $write {
                    t: y = x + 1  with x <- A[i, j]; y -> $write
                  }
                }
              }
            }
          )",
                {{"$header", header}, {"$row", row}, {"$write", write}}) {}

    MapEntry &map() { return *node<MapEntry>("m"); }
    std::string iteration() {
        const auto w = analysis::workOfIteration(map(), analysis::ScopeTree(*s));
        return w ? w->str() : "unknown";
    }
    bool balanced() {
        PassRun pass("balance-threads");
        const bool changed = pass(g);
        const bool turns = map().ompSchedule == OmpSchedule::Static && map().ompChunkSize == 1;
        CHECK(changed == turns);
        return turns;
    }
};

bool isBalanced(const std::string &row, const std::string &header = "0:N] (CPU_Multicore") {
    return Program(header, row).balanced();
}

} // namespace

TEST_CASE("work of one iteration: in the parameter of the first loop") {
    const std::string all = "0:N] (CPU_Multicore";
    CHECK(Program(all, "0:M").iteration() == "3*M");
    CHECK(Program(all, "i:N").iteration() == "3*N - 3*i");
    CHECK(Program(all, "i:min(i + 32, N)").iteration() == "24"); // a tile, in vectors of four: the last one may be shorter
    CHECK(Program(all, "0:A[i, 0] + 1").iteration() == "unknown");
    CHECK(Program("0:N, k = 0:i + 1] (CPU_Multicore", "0:M").iteration() == "3*M*i + 3*M"); // other loops count in full
}

TEST_CASE("balance-threads: threads take the iterations of a triangle in turn") {
    CHECK(isBalanced("i:N"));
    CHECK(isBalanced("0:i + 1"));
    CHECK(isBalanced("0:N - i", "1:N] (CPU_Multicore"));
    CHECK(isBalanced("0:M", "0:N, k = i:N] (CPU_Multicore"));
    CHECK_FALSE(isBalanced("0:N"));
    CHECK_FALSE(isBalanced("i:i + 8"));
    CHECK_FALSE(isBalanced("i:min(i + 32, N)", "0:N:32] (CPU_Multicore"));
    CHECK_FALSE(isBalanced("0:N + min(i, 4)"));                // a margin
    CHECK_FALSE(isBalanced("0:N - i", "0:8] (CPU_Multicore")); // short compared with the inner work
}

TEST_CASE("balance-threads: what the graph or another pass says of a map stays") {
    CHECK_FALSE(isBalanced("i:N", "0:N] (Sequential"));
    CHECK_FALSE(isBalanced("i:N", "0:N] (CPU_Multicore, omp_num_threads = 2"));
    CHECK_FALSE(isBalanced("i:N", "0:N] (CPU_Multicore, omp_schedule = Dynamic"));
    CHECK_FALSE(isBalanced("i:N", "0:N, k = 0:M] (CPU_Multicore, collapse = 2"));
    CHECK_FALSE(isBalanced("i:N", "0:N] (CPU_Multicore, optimize = false"));
    CHECK_FALSE(Program("0:N] (CPU_Multicore", "i:N", "B[0] (+)").balanced()); // sums would change
}

TEST_CASE("balance-threads: a row stays with its thread") {
    // For each k, the map starts one row later.
    Graph loop(R"(
        sdfg f(A) {
          symbol N: int64
          argument A: float64[N, N]
          for k = 0; k < N; k = k + 1 {
            state main {
              map m[i = k:N] (CPU_Multicore) with <- A[0:N, 0:N]; -> A[0:N, 0:N] {
                map row[j = i:N] (Sequential) with <- A[i, 0:N]; -> A[i, 0:N] {
                  t: y = x + 1  with x <- A[i, j]; y -> A[i, j]
                }
              }
            }
          }
        }
    )");
    PassRun pass("balance-threads");
    CHECK_FALSE(pass(loop.g));
    CHECK(pass.why() == diag::Why::Symbol);
}

TEST_CASE("balance-threads: what threads have for themselves is found again by the same threads") {
    Program p("0:N] (CPU_Multicore", "i:N");
    p.g.desc("B")->storage = Storage::CPU_ThreadLocal;
    CHECK_FALSE(p.balanced());
}
