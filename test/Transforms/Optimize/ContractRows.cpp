// contract-arrays with `rows`: which arrays become private rows of each iteration.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A map over rows, in which two maps use `e`.
struct Rows : Graph {
    struct Text {
        std::string write = "e[i, j]", read = "e[i, j]", first = "j = 0:M", second = "j = 0:M", code = "o = a + 1", after = "",
                    transient = "e: float64[N, M]", schedule = "CPU_Multicore";
    };
    explicit Rows(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, M: int64
              argument A: float64[N, M] (CPU_Heap)
              argument B: float64[N, M] (CPU_Heap)
              transient $transient (CPU_Heap)
              state s {
                map rows[i = 0:N] ($schedule) with <- A[0:N, 0:M]; -> B[0:N, 0:M] {
                  map one[$first] (Sequential) with <- A[i, 0:M]; -> e {
                    t: $code  with a: float64 <- A[i, j]; o: float64 -> $write
                  }
                  map two[$second] (Sequential) with <- e; -> B[i, 0:M] {
                    t: o = 2 * a  with a: float64 <- $read; o: float64 -> B[i, j]
                  }
                }
              }
              $after
            }
          )",
                {{"$transient", t.transient},
                 {"$first", t.first},
                 {"$second", t.second},
                 {"$write", t.write},
                 {"$read", t.read},
                 {"$code", t.code},
                 {"$after", t.after},
                 {"$schedule", t.schedule}}) {}
    bool contract(bool rows = true) {
        PassRun pass(transforms::createContractArrays());
        pass.pass->options = {{"rows", rows}};
        const bool changed = pass(g);
        CHECK(changed == (g.arrays.find(Name("e"))->rank() == 1));
        return changed;
    }
};

bool contracts(const Rows::Text &t) { return Rows(t).contract(); }

} // namespace

TEST_CASE("contract-arrays: a row of each iteration") {
    CHECK(contracts({}));
    CHECK_FALSE(Rows({}).contract(false));
    CHECK(contracts({.schedule = "Sequential"}));
    CHECK(contracts({.read = "e[i, M - 1 - j]"}));
    CHECK(contracts({.write = "e[j, i]", .read = "e[j, i]", .transient = "e: float64[M, N]"}));
    CHECK(contracts({.write = "e[N - 1 - i, j]", .read = "e[N - 1 - i, j]"}));
    CHECK(contracts({.first = "j = 0:M", .second = "j = 1:M"}));
}

TEST_CASE("contract-arrays: a row of an array whose indices do not begin at 0") {
    const std::string element = "e[i + 1, j + 2]";
    Rows fortran({.write = element, .read = element});
    fortran.g.arrays.find(Name("e"))->offset = {-1, -2};
    REQUIRE(fortran.contract());
    CHECK(fortran.g.arrays.find(Name("e"))->offset == std::vector<sym::Expr>{-2});
    CHECK(fortran.g.arrays.find(Name("e"))->fullSubset().str() == "2:M + 2");
}

TEST_CASE("contract-arrays: rows that iterations share, or have not written") {
    CHECK_FALSE(contracts({.read = "e[i - 1, j]"}));
    CHECK_FALSE(contracts({.write = "e[0, j]", .read = "e[0, j]"})); // one row for all iterations
    CHECK_FALSE(contracts({.write = "e[j, j]", .read = "e[j, j]", .transient = "e: float64[M, M]"}));
    CHECK_FALSE(contracts({.first = "j = 1:M"}));        // the first element is from an earlier iteration
    CHECK_FALSE(contracts({.code = "if a > 0: o = a"})); // not in each iteration
    CHECK_FALSE(contracts({.write = "e[i, j] (wcr = \"lambda a, b: a + b\")"}));
    CHECK_FALSE(contracts({.after = "M = 1\nstate more {\nc: y = x  with x: float64 <- e[0, 0]; y: float64 -> B[0, 0]\n}"}));
    Rows kept({});
    kept.g.arrays.find(Name("e"))->lifetime = Lifetime::Persistent;
    CHECK_FALSE(kept.contract());
}
