// share-subexpressions: which items are removed because another one has computed the same.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Two maps that write t and u, and one that reads both; `between` is inserted before the second.
struct Twins : Graph {
    struct Text {
        std::string first = "[i = 0:N]", second = "[j = 0:N]", one = "o = exp(a)  with a: float64 <- A[i]; o: float64 -> t[i]",
                    two = "o = exp(a)  with a: float64 <- A[j]; o: float64 -> u[j]", between = "", more = "", type = "float64[N]",
                    before = "";
    };
    explicit Twins(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, M: int64
              argument A: float64[2*N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              transient t: float64[N] (CPU_Heap)
              transient u: $type (CPU_Heap)
              state first {
                $before
                map one$first (CPU_Multicore) with <- A[0:2*N]; -> t[0:N] {
                  $one
                }
              }
              $between
              state second {
                map two$second (CPU_Multicore) with <- A[0:2*N]; -> u[0:N] {
                  $two
                }
              }
              state third {
                map sum[k = 0:N] (CPU_Multicore) with <- t[0:N], <- u[0:N]; -> B[0:N] {
                  add: o = a - b  with a: float64 <- t[k], b: float64 <- u[k]; o: float64 -> B[k]
                }
                $more
              }
            }
          )",
                {{"$first", t.first},
                 {"$second", t.second},
                 {"$one", "one: " + t.one},
                 {"$two", "two: " + t.two},
                 {"$between", t.between},
                 {"$before", t.before},
                 {"$more", t.more},
                 {"$type", t.type}}) {}

    std::size_t maps() const {
        std::size_t n = 0;
        for (const State *s : allStates(std::as_const(g)))
            n += nodesOf<MapEntry>(*s).size();
        return n;
    }
};

bool shares(const Twins::Text &t) {
    Twins program(t);
    const std::size_t before = program.maps();
    PassRun pass("share-subexpressions");
    const bool changed = pass(program.g);
    CHECK(program.maps() + (changed ? 1 : 0) == before);
    CHECK((program.g.desc("u") == nullptr) == changed);
    return changed;
}

} // namespace

TEST_CASE("share-subexpressions: a map that does what another one did") {
    CHECK(shares({}));
    CHECK(shares({.second = "[i = 0:N]", .two = "o = exp(a)  with a: float64 <- A[i]; o: float64 -> u[i]"}));
    CHECK(shares({.between = "state s {\n t: o = 0.0  with o: float64 -> B[0]\n }"})); // never read
    CHECK(shares({.one = "o = i * a  with a: float64 <- A[i]; o: float64 -> t[i]",
                  .two = "o = j * a  with a: float64 <- A[j]; o: float64 -> u[j]"})); // parameters in the code
}

TEST_CASE("share-subexpressions: what only looks the same") {
    CHECK_FALSE(shares({.second = "[j = 1:N]"}));
    CHECK_FALSE(shares({.two = "o = sin(a)  with a: float64 <- A[j]; o: float64 -> u[j]"}));
    CHECK_FALSE(shares({.two = "o = exp(a)  with a: float64 <- A[j + 1]; o: float64 -> u[j]"}));
    CHECK_FALSE(shares({.two = "o = exp(a)  with a: float64 <- A[j]; o: float64 -> u[N - 1 - j]"}));
    CHECK_FALSE(shares({.one = "o = M * a  with a: float64 <- A[i]; o: float64 -> t[i]",
                        .two = "o = j * a  with a: float64 <- A[j]; o: float64 -> u[j]"}));
    CHECK_FALSE(shares({.type = "float32[N]"}));     // rounds
    CHECK_FALSE(shares({.type = "float64[N + 1]"})); // another layout
}

TEST_CASE("share-subexpressions: values that change in between, or that are used elsewhere") {
    CHECK_FALSE(shares({.between = "state s {\n t: o = 0.0  with o: float64 -> A[0]\n }"}));
    CHECK_FALSE(shares({.between = "state s {\n t: o = 0.0  with o: float64 -> u[0]\n }"})); // a second write
    CHECK_FALSE(shares({.between = "state s {\n t: o = 0.0  with o: float64 -> t[0]\n }"}));
    CHECK_FALSE(shares({.more = "t: o = 0.0  with o: float64 -> t[0]"}));                     // later: `u` keeps its value
    CHECK_FALSE(shares({.before = "t: o = a  with a: float64 <- u[0]; o: float64 -> B[0]"})); // by an earlier visit of the states
    CHECK_FALSE(shares({.between = "M = M + 1"})); // a separate run: nothing is known about symbols
    CHECK_FALSE(shares({.two = "o = exp(a)  with a: float64 <- A[j]; o: float64 -> u[j] (dynamic)"}));
}

TEST_CASE("share-subexpressions: tasklets of one iteration, and chains of them") {
    Graph program(R"(
        sdfg f(A, B) (typed) {
          symbol N: int64
          argument A: float64[N] (CPU_Heap)
          argument B: float64[N] (CPU_Heap)
          transient a: float64 (Register)
          transient b: float64 (Register)
          transient c: float64 (Register)
          transient d: float64 (Register)
          state s {
            map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> B[0:N] {
              one: o = exp(x)  with x: float64 <- A[i]; o: float64 -> a
              two: o = exp(x)  with x: float64 <- A[i]; o: float64 -> b
              three: o = sin(x)  with x: float64 <- a; o: float64 -> c
              four: o = sin(x)  with x: float64 <- b; o: float64 -> d
              five: o = x + y  with x: float64 <- c, y: float64 <- d; o: float64 -> B[i]
            }
          }
        }
      )");
    PassRun pass("share-subexpressions");
    CHECK(pass(program.g));
    CHECK(nodesOf<Tasklet>(*allStates(std::as_const(program.g)).front()).size() == 3);
    CHECK(program.g.arrays.size() == 4);
}
