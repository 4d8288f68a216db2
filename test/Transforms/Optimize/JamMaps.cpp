// jam-maps: which maps run in strips, and what prevents it.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A map over `j` whose inner map sums up a column of `A`.
struct Sums : Graph {
    struct Text {
        std::string read = "A[k, j]", inner = "k = 0:N", variable = "float64 (Register)", sum = "t[0]", write = "y[j]",
                    range = "j = 0:M", done = "done: o = a  with a: float64 <- $sum; o: float64 -> $write";
    };
    explicit Sums(const Text &t)
        : Graph(R"(
            sdfg f(A, x, y) (typed) {
              symbol N, M: int64
              argument A: float64[N, M] (CPU_Heap)
              argument x: float64[N] (CPU_Heap)
              argument y: float64[M] (CPU_Heap)
              transient t: $variable
              state s {
                map columns[$range] (CPU_Multicore) with <- A[0:N, 0:M], <- x[0:N]; -> y[0:M] {
                  init: o = 0.0  with o: float64 -> $sum
                  map sum[$inner] (Sequential) with <- A[0:N, 0:M], <- x[0:N], after @init; -> $sum (wcr = "lambda a, b: a + b") {
                    add: o = a * b  with a: float64 <- $read, b: float64 <- x[k]; o: float64 -> $sum (wcr = "lambda a, b: a + b")
                  }
                  $done
                }
              }
            }
          )",
                {{"$done", t.done},
                 {"$variable", t.variable},
                 {"$range", t.range},
                 {"$inner", t.inner},
                 {"$sum", t.sum},
                 {"$read", t.read},
                 {"$write", t.write}}) {}
    bool jam() { return PassRun(transforms::createJamMaps())(g); }
};

bool jams(const Sums::Text &t) { return Sums(t).jam(); }

} // namespace

TEST_CASE("jam-maps: inner maps that walk down columns") {
    CHECK(jams({}));
    CHECK(jams({.read = "A[k, M - 1 - j]"}));
    CHECK(jams({.write = "y[M - 1 - j]", .range = "j = 2:M"}));
    CHECK_FALSE(jams({.read = "A[j, k]"}));     // along a row
    CHECK_FALSE(jams({.read = "A[k, 2 * j]"})); // not contiguous
    CHECK_FALSE(jams({.inner = "k = 0:j"}));    // the number of steps differs between columns
    CHECK_FALSE(jams({.range = "j = 0:M:2"}));
    CHECK_FALSE(jams({.range = "j = 0:6"})); // less than a strip
}

TEST_CASE("jam-maps: inner maps that sum up parts of rows that other iterations read, too") {
    const auto rows = [](std::string read, std::string inner) {
        return Sums::Text{.read = std::move(read), .inner = std::move(inner)};
    };
    CHECK(jams(rows("A[k, l + j]", "k = 0:N, l = 0:M - j"))); // with the same end
    CHECK(jams(rows("A[k, l]", "k = 0:N, l = 0:j")));         // with the same beginning
    CHECK(jams(rows("A[k, M - 1 - l]", "k = 0:N, l = 0:j")));
    CHECK_FALSE(jams(rows("A[k, l + j]", "k = 0:N, l = 0:j")));      // neither end is the same
    CHECK_FALSE(jams(rows("A[j, l]", "k = 0:N, l = 0:j")));          // each has its own row
    CHECK_FALSE(jams(rows("A[k, j]", "l = 0:j, k = 0:N")));          // the range of the outer loop changes
    CHECK_FALSE(jams(rows("A[k, l]", "k = 0:N, l = 0:j, m = 0:2"))); // the row is not the innermost loop
    Sums::Text array = rows("A[k, l]", "k = 0:N, l = 0:j");
    array.sum = "t[l]", array.variable = "float64[M] (Register)";
    CHECK_FALSE(jams(array)); // rows are updated, not summed up
}

TEST_CASE("jam-maps: rows are summed up in variables of the elements") {
    Sums program({.read = "A[k, l + j]", .inner = "k = 0:N, l = 0:M - j"});
    REQUIRE(program.jam());
    bool isOrdered = false, sumsInVariable = false;
    for (const State *s : allStates(std::as_const(program.g))) {
        for (const MapEntry *m : nodesOf<MapEntry>(*s))
            isOrdered |= m->params.front() == Name("k") && m->ordered; // sums in the strip are passed on from row to row
        for (const auto &e : s->edges())
            sumsInVariable |= e->memlet.data == Name("t_sum") && !e->memlet.wcr.empty();
    }
    CHECK(isOrdered);
    CHECK(sumsInVariable);
}

TEST_CASE("jam-maps: what iterations share, or have more of than a variable") {
    CHECK_FALSE(jams({.write = "y[0]"}));
    CHECK_FALSE(jams({.write = "y[j // 2]"}));
    CHECK_FALSE(jams({.write = "y[j % 4]"}));
    CHECK(jams({.write = "y[2 * j]", .range = "j = 0:M // 2"}));
    CHECK_FALSE(jams({.variable = "float64[2] (Register)", .sum = "t[1]"}));
}

TEST_CASE("jam-maps: variables become arrays along the strip, and the rest has its own") {
    Sums program({});
    REQUIRE(program.jam());
    int strips = 0, variables = 0;
    for (const auto &[name, d] : program.g.arrays)
        if (d.transient)
            (d.isArray() ? strips : variables) += 1;
    CHECK(strips == 1);
    CHECK(variables == 1);
    bool hasRest = false;
    for (const State *s : allStates(std::as_const(program.g)))
        for (const MapEntry *m : nodesOf<MapEntry>(*s))
            hasRest |= m->params.front() == Name("j") && m->schedule == Schedule::Sequential;
    CHECK(hasRest);
}

TEST_CASE("jam-maps: a copy of a variable, in the strip and in the rest") {
    Sums program({.done = "t[0] -> y[j]"});
    REQUIRE(program.jam());
    for (const State *s : allStates(std::as_const(program.g)))
        for (const auto &e : s->edges())
            CHECK((e->memlet.isEmpty() || program.g.desc(e->memlet.data)));
}

TEST_CASE("jam-maps: loops whose iterations depend on each other go around a strip") {
    const auto jams = [](const std::string &outer, const std::string &inner) {
        Graph program(R"(
          sdfg f(D, E) (typed) {
            symbol N: int64
            argument D: float64[N, N] (CPU_Heap)
            argument E: float64[N, N] (CPU_Heap)
            state main {
              map columns[j = 0:N] ($outer) with <- D[0:N, 0:N], <- E[0:N, 0:N]; -> D[0:N, 0:N] {
                map down[i = 1:N] ($inner) with <- D[0:N, j], <- E[0:N, j]; -> D[0:N, j] {
                  s: y = x + e  with x: float64 <- D[i - 1, j], e: float64 <- E[i, j]; y: float64 -> D[i, j]
                }
              }
            }
          }
        )",
                      {{"$outer", outer}, {"$inner", inner}});
        return PassRun(transforms::createJamMaps())(program.g);
    };
    CHECK(jams("CPU_Multicore", "Sequential, ordered"));
    CHECK_FALSE(jams("Sequential, ordered", "Sequential, ordered")); // columns may depend on each other
}

TEST_CASE("jam-maps: the rest of a map whose end lies before its begin has no iterations") {
    const auto restOf = [](const std::string &range) {
        Graph program(R"(
          sdfg f(A, y) (typed) {
            symbol N, M: int64
            argument A: float64[N, N] (CPU_Heap)
            argument y: float64[N] (CPU_Heap)
            state main {
              map columns[j = $range] (CPU_Multicore) with <- A[0:N, 0:N]; -> y[0:N] (wcr = "lambda a, b: a + b") {
                map down[i = 0:N] (Sequential) with <- A[0:N, j]; -> y[j] (wcr = "lambda a, b: a + b") {
                  s: o = x  with x: float64 <- A[i, j]; o: float64 -> y[j] (wcr = "lambda a, b: a + b")
                }
              }
            }
          }
        )",
                      {{"$range", range}});
        REQUIRE(PassRun(transforms::createJamMaps())(program.g));
        for (const State *s : allStates(std::as_const(program.g)))
            for (const MapEntry *m : nodesOf<MapEntry>(*s))
                if (m->params.front() == Name("j"))
                    return m->ranges.front().begin.str();
        return std::string();
    };
    CHECK(restOf("0:N") == "8*(N // 8)");
    CHECK(restOf("1:N") == "8*((N + 7) // 8) - 7");
    CHECK(restOf("1:N - 1") == "8*((max(N, 2) + 6) // 8) - 7"); // N may be 1
    CHECK(restOf("M:N") == "M + 8*(max(N - M, 0) // 8)");
}
