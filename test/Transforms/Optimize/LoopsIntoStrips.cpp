// loops-into-strips: when a loop may run once per thread, on a strip of its maps.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A loop over `j` around a map over `i`, perhaps with more around and beside it.
struct LoopText {
    std::string range = "j = 1; j < M; j = j + 1", map = "i = 0:N", schedule = "CPU_Multicore", read = "y[j - 1, i]",
                write = "y[j, i]", more = "";
};

bool runsInStrips(const LoopText &t) {
    Graph program(R"(
        sdfg f(x, y, z) (typed) {
          symbol N, M, j: int64
          argument x: float64[M, N] (CPU_Heap)
          argument y: float64[M, N] (CPU_Heap)
          argument z: float64[N] (CPU_Heap)
          loop: for $range {
            state body {
              map rows[$map] ($schedule) with <- x[0:M, 0:N], <- y[0:M, 0:N]; -> y[0:M, 0:N] {
                t: o = a + b  with a: float64 <- x[j, i], b: float64 <- $read; o: float64 -> $write
              }
            }
            $more
          }
        }
      )",
                  {{"$range", t.range},
                   {"$map", t.map},
                   {"$schedule", t.schedule},
                   {"$read", t.read},
                   {"$write", t.write},
                   {"$more", lines(t.more)}});
    const bool changed = PassRun(transforms::createLoopsIntoStrips())(program.g);
    const std::vector<const Region *> regions = allRegions(std::as_const(program.g));
    const bool hasLoop = std::any_of(regions.begin(), regions.end(), [](const Region *r) { return isa<LoopRegion>(r); });
    CHECK(changed == !hasLoop);
    return changed;
}

/// A second map in the loop's body.
std::string second(const std::string &range, const std::string &read, const std::string &write) {
    const auto whole = [](const std::string &element) { return element[0] == 'y' ? "y[0:M, 0:N]" : "z[0:N]"; };
    return "state next { map others[" + range + "] (CPU_Multicore) with <- " + whole(read) + "; -> " + whole(write) +
           " { u: o = a  with a: float64 <- " + read + "; o: float64 -> " + write + " } }";
}

} // namespace

TEST_CASE("Loops run in strips of their maps if no iteration of the maps uses what another one writes") {
    CHECK(runsInStrips({}));
    CHECK(runsInStrips({.range = "j = M - 2; j >= 0; j = j - 1", .read = "y[j + 1, i]"}));
    CHECK(runsInStrips({.more = second("k = 0:N", "y[j, k]", "z[k]")}));
    CHECK_FALSE(runsInStrips({.map = "i = 1:N", .read = "y[j - 1, i - 1]"}));
    CHECK_FALSE(runsInStrips({.more = second("k = 0:N", "y[j, N - 1 - k]", "z[k]")}));
    CHECK_FALSE(runsInStrips({.more = second("k = 0:N", "z[k]", "y[j, 0]")}));
}

TEST_CASE("The maps of a loop in strips have one range") {
    CHECK_FALSE(runsInStrips({.map = "i = 0:j"}));
    CHECK_FALSE(runsInStrips({.map = "i = 0:N:2"}));
    CHECK_FALSE(runsInStrips({.more = second("k = 1:N", "y[j, k]", "z[k]")}));
    CHECK_FALSE(runsInStrips({.schedule = "Sequential"}));
    CHECK_FALSE(runsInStrips({.more = "state one { u: o = a  with a: float64 <- y[j, 0]; o: float64 -> z[0] }"}));
}

TEST_CASE("Short loops and short maps do not run in strips") {
    CHECK_FALSE(runsInStrips({.range = "j = 1; j < 4; j = j + 1"}));
    CHECK(runsInStrips({.range = "j = 1; j < 9; j = j + 1"}));
    CHECK_FALSE(runsInStrips({.map = "i = 0:32"}));
}
