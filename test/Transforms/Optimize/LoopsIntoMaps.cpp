// loops-into-maps and accumulate-in-strips: when the loop order may change, and which rows are accumulated in registers.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A loop over `j` around a map over `i`.
struct LoopAroundMap : Graph {
    struct Text {
        std::string range = "j = 1; j < M; j = j + 1", map = "i = 0:N", read = "y[i, j - 1]", write = "y[i, j]", before = "",
                    more = "";
    };
    explicit LoopAroundMap(const Text &t)
        : Graph(R"(
            sdfg f(x, y) (typed) {
              symbol N, M, j: int64
              argument x: float64[N, M] (CPU_Heap)
              argument y: float64[N, M] (CPU_Heap)
              transient column: float64[N] (CPU_Heap)
              loop: for $range {
                state body {
                  $before
                  map rows[$map] (CPU_Multicore) with <- x[0:N, 0:M], <- y[0:N, 0:M]; -> y[0:N, 0:M] {
                    t: o = a + b  with a: float64 <- x[i, j], b: float64 <- $read; o: float64 -> $write
                    $more
                  }
                }
              }
            }
          )",
                {{"$range", t.range},
                 {"$map", t.map},
                 {"$read", t.read},
                 {"$write", t.write},
                 {"$before", t.before},
                 {"$more", t.more}}) {}
    bool isMapOutside() const {
        const State *first = allStates(std::as_const(g)).front();
        return !nodesOf<NestedSDFGNode>(*first).empty();
    }
};

bool interchanges(const LoopAroundMap::Text &t) {
    LoopAroundMap program(t);
    const bool changed = PassRun(transforms::createLoopsIntoMaps())(program.g);
    CHECK(changed == program.isMapOutside());
    return changed;
}

/// Rows of `sum` updated in nested maps.
bool accumulates(const std::string &map, const std::string &read, const std::string &write, const std::string &type = "float64") {
    Graph program(R"(
        sdfg f(a, sum) (typed) {
          symbol N, K, C: int64
          argument a: $type[N, K, C] (CPU_Heap)
          argument sum: $type[N, C] (CPU_Heap)
          state s {
            map all[i = 0:N] (CPU_Multicore) with <- a[0:N, 0:K, 0:C], <- sum[0:N, 0:C]; -> sum[0:N, 0:C] (wcr = "lambda a, b: a + b") {
              map row[$map] (Sequential) with <- a[i, 0:K, 0:C], <- sum[0:N, 0:C]; -> sum[i, 0:C] (wcr = "lambda a, b: a + b") {
                t: o = v  with v: $type <- $read; o: $type -> $write (wcr = "lambda a, b: a + b")
              }
            }
          }
        }
      )",
                  {{"$map", map}, {"$read", read}, {"$write", write}, {"$type", type}});
    return PassRun(transforms::createAccumulateInStrips())(program.g);
}

} // namespace

TEST_CASE("loops-into-maps: rows that depend on themselves only") {
    CHECK(interchanges({}));
    CHECK(interchanges({.range = "j = M - 2; j > -1; j = j - 1", .read = "y[i, j + 1]"}));
    CHECK_FALSE(interchanges({.map = "i = 1:N", .read = "y[i - 1, j - 1]"})); // from another row
    CHECK_FALSE(interchanges({.read = "y[0, j - 1]"}));
    CHECK_FALSE(interchanges({.map = "i = 0:j"})); // the loop determines the number of rows
    CHECK_FALSE(interchanges({.range = "j = 1; j < M; j = 2 * j"}));
    CHECK_FALSE(interchanges({.before = "c: o = 0.0  with o: float64 -> x[0, j]"})); // not only maps
}

TEST_CASE("loops-into-maps: what is the same in all iterations") {
    // Three values per row: contiguous down the column, and the same along the row.
    const std::string own = "c: o = a  with a: float64 <- x[i, j]; o: float64 -> column[i]\n"
                            "d: o = 2 * a  with a: float64 <- column[i]; o: float64 -> new column[i]\n"
                            "e: o = 3 * a  with a: float64 <- column[i]; o: float64 -> new column[i]";
    CHECK(interchanges({.more = own}));
    CHECK_FALSE(interchanges({.read = "y[j, i]", .write = "y[j, i]", .more = own})); // the same number along both
}

TEST_CASE("loops-into-maps: rows of which nothing is left") {
    Graph program(R"(
        sdfg f(x) (typed) {
          symbol N, M, j: int64
          argument x: float64[N, M] (CPU_Heap)
          transient last: float64 (Register)
          loop: for j = 1; j < M; j = j + 1 {
            state body {
              map rows[i = 0:N] (CPU_Multicore) with <- x[0:N, 0:M] {
                t: o = a  with a: float64 <- x[i, j]; o: float64 -> last[0]
                after @last
              }
            }
          }
        }
      )");
    CHECK(PassRun(transforms::createLoopsIntoMaps())(program.g)); // and the result is well-formed: the exit closes its scope
}

TEST_CASE("loops-into-maps: loops in nested SDFGs, and around them") {
    Graph program(R"(
        sdfg f(x, y) (typed) {
          symbol N, M, j: int64
          argument x: float64[N, M] (CPU_Heap)
          argument y: float64[N, M] (CPU_Heap)
          loop: for j = 1; j < M; j = j + 1 {
            state body {
              map rows[i = 0:N] (CPU_Multicore) with <- x[0:N, 0:M], <- y[0:N, 0:M]; -> y[0:N, 0:M] {
                nested part[M = M] with a: float64 <- x[i, j], b: float64 <- y[i, j - 1]; c: float64 -> y[i, j] {
                  sdfg inner (typed) {
                    symbol M, k: int64
                    argument a: float64 (CPU_Heap)
                    argument b: float64 (CPU_Heap)
                    argument c: float64 (CPU_Heap)
                    again: for k = 0; k < M; k = k + 1 {
                      state s {
                        t: o = v + w  with v: float64 <- a, w: float64 <- b; o: float64 -> c
                      }
                    }
                  }
                }
              }
            }
          }
          state after {
            nested other[M = M, N = N] with x: float64 <- x[0:N, 0:M]; y: float64 -> y[0:N, 0:M] {
              sdfg rest (typed) {
                symbol N, M, j: int64
                argument x: float64[N, M] (CPU_Heap)
                argument y: float64[N, M] (CPU_Heap)
                loop: for j = 0; j < M; j = j + 1 {
                  state body {
                    map rows[i = 0:N] (CPU_Multicore) with <- x[0:N, 0:M]; -> y[0:N, 0:M] {
                      t: o = a  with a: float64 <- x[i, j]; o: float64 -> y[i, j]
                    }
                  }
                }
              }
            }
          }
        }
      )");
    CHECK(PassRun(transforms::createLoopsIntoMaps())(program.g));
    std::size_t maps = 0;
    for (const SDFG *g : allSDFGs(std::as_const(program.g)))
        for (const State *s : allStates(*g))
            for (const MapEntry *m : nodesOf<MapEntry>(*s))
                maps += m->schedule == Schedule::CPU_Multicore;
    CHECK(maps == 2);
}

TEST_CASE("accumulate-in-strips: rows that the other loops do not move") {
    CHECK(accumulates("k = 0:K, c = 0:C", "a[i, k, c]", "sum[i, c]"));
    CHECK(accumulates("k = 0:K, c = 2:6", "a[i, k, c]", "sum[i, c - 2]"));
    CHECK_FALSE(accumulates("c = 0:C", "a[i, 0, c]", "sum[i, c]"));              // nothing is accumulated
    CHECK_FALSE(accumulates("c = 0:C, k = 0:K", "a[i, k, c]", "sum[i, c]"));     // one element at a time
    CHECK_FALSE(accumulates("k = 0:K, c = 0:C", "a[i, k, c]", "sum[i, c + k]")); // another row for each k
    CHECK_FALSE(accumulates("k = 0:K, c = 0:k", "a[i, k, c]", "sum[i, c]"));     // of another length
    CHECK_FALSE(accumulates("k = 0:K, c = 0:C", "sum[i, c]", "sum[i, c]"));      // read in between
    CHECK_FALSE(accumulates("k = 0:K, c = 0:C", "a[i, k, c]", "sum[i, c]", "complex128"));
}
