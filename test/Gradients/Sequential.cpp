// Sequential maps: their iterations run in order, so an iteration may use or overwrite the results of earlier ones.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// `A` is copied to `t`, the map changes it, and the result is the sum of all squares.
std::string programOf(const std::string &map, const std::string &shape = "N") {
    const std::string all = shape == "N" ? "0:N" : "0:N, 0:N", one = shape == "N" ? "k" : "k, l";
    return "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[" + shape +
           "]\n argument out: float64[1]\n transient t: float64[" + shape + "]\n transient s: float64\n state begin {\n  A[" + all +
           "] -> t\n }\n state first {\n  zero: o = 0.5  with o -> s\n }\n state main {\n" + map +
           "\n }\n state last {\n  clear: o = 0.0  with o -> out[0]\n }\n state end {\n  map sum[" +
           (shape == "N" ? "k = 0:N" : "k = 0:N, l = 0:N") + "] (Sequential) with <- t[" + all +
           "], <- s; -> out[0] (wcr = \"lambda a, b: a + b\") {\n   q: o = x * x + y  with x <- t[" + one +
           "], y <- s; o -> out[0] (wcr = \"lambda a, b: a + b\")\n  }\n }\n}\n";
}

void check(const std::string &map, const std::string &shape = "N") {
    INFO(map);
    for (const char *strategy : {"", "strategy=store"})
        for (const int64_t n : {1, 2, 5}) {
            INFO(strategy << " N = " << n);
            Differentiated d(programOf(map, shape), "out", "A", strategy);
            REQUIRE(d.errors() == "");
            d.set("N", n).check();
        }
}

/// Maps that became loops.
std::size_t loopsIn(const Differentiated &d) {
    std::size_t loops = 0;
    for (const ir::SDFG *g : ir::allSDFGs(*d.gradient()))
        for (const ir::Region *r : ir::allRegions(*g))
            loops += r->kind() == ir::BlockKind::Loop;
    return loops;
}

} // namespace

TEST_CASE("Sequential maps may read what earlier iterations wrote") {
    check(
        "map m[i = 1:N] (Sequential) with <- t[0:N]; -> t[1:N] {\n c: o = sin(x) * y  with x <- t[i - 1], y <- t[i]; o -> t[i]\n}");
    check("map m[i = 1:N] (Unrolled) with <- t[0:N]; -> t[1:N] {\n c: o = sin(x) * y  with x <- t[i - 1], y <- t[i]; o -> t[i]\n}");
    check("map m[i = 2:N:2] (Sequential) with <- t[0:N]; -> t[2:N] {\n c: o = x * y  with x <- t[i - 2], y <- t[i]; o -> t[i]\n}");
    check("map m[i = 0:N] (Sequential) with <- t[0:N], <- s; -> t[0:N], -> s {\n"
          " c: o = x * y; p = y + x  with x <- t[i], y <- s; o -> t[i], p -> s\n}");
}

TEST_CASE("Sequential maps may overwrite what earlier iterations read") {
    check("map m[i = 0:N - 1] (Sequential) with <- t[0:N]; -> t[0:N - 1] {\n c: o = sin(x) * y  with x <- t[i + 1], y <- t[i]; o "
          "-> t[i]\n}");
}

TEST_CASE("The last iteration of a sequential map that writes an element counts") {
    check("map m[i = 0:N] (Sequential) with <- t[0:N]; -> s {\n c: o = x * x  with x <- t[i]; o -> s\n}");
    check("map m[i = 0:N] (Sequential) with <- t[0:N]; -> t[0] {\n c: o = x * x  with x <- t[i]; o -> t[0]\n}");
}

TEST_CASE("Sequential maps with several parameters") {
    check("map m[i = 1:N, j = 1:N] (Sequential) with <- t[0:N, 0:N]; -> t[1:N, 1:N] {\n"
          " c: o = sin(x * y) + z  with x <- t[i - 1, j], y <- t[i, j - 1], z <- t[i, j]; o -> t[i, j]\n}",
          "N, N");
    check("map m[i = 1:N, j = 0:i] (Sequential) with <- t[0:N, 0:N]; -> t[1:N, 0:N] {\n"
          " c: o = x * y  with x <- t[i - 1, j], y <- t[i, j]; o -> t[i, j]\n}",
          "N, N");
}

TEST_CASE("Sequential maps in others take their rows and columns only") {
    const std::string row = "map r[i = 0:N] (CPU_Multicore) with <- t[0:N, 0:N]; -> t[0:N, 1:N] {\n"
                            " map m[j = 1:N] (Sequential) with <- t[i, 0:N]; -> t[i, 1:N] {\n"
                            "  c: o = sin(x) * y  with x <- t[i, j - 1], y <- t[i, j]; o -> t[i, j]\n }\n}";
    check(row, "N, N");
    const Differentiated d(programOf(row, "N, N"), "out", "A");
    CHECK(loopsIn(d) == 3); // unchanged, and in the gradient, where it runs once more
    CHECK(d.text().find("t: pointer(float64) <- t[i, 0:N]") != std::string::npos);
    check("map r[i = 0:N] (CPU_Multicore) with <- t[0:N, 0:N]; -> t[1:N, 0:N] {\n"
          " map m[j = 1:N] (Sequential) with <- t[0:N, i]; -> t[1:N, i] {\n"
          "  c: o = sin(x) * y  with x <- t[j - 1, i], y <- t[j, i]; o -> t[j, i]\n }\n}",
          "N, N");
}

TEST_CASE("Sequential maps where nobody knows whether iterations meet") {
    check("map m[i = 0:N] (Sequential) with <- t[0:N]; -> t[0:N] {\n c: o = x * y  with x <- t[i], y <- t[(3 * i) % N]; o -> t[(2 "
          "* i) % N]\n}");
}

TEST_CASE("Sequential maps with containers of each iteration, and loops around them") {
    const std::string map = "map m[i = 1:N] (Sequential) with <- t[0:N]; -> t[1:N] {\n"
                            " a: o = x * x  with x <- t[i - 1]; o -> w\n b: o = sin(x) * y  with x <- w, y <- t[i]; o -> t[i]\n}";
    std::string text = programOf(map);
    text.insert(text.find(" transient s"), " transient w: float64\n");
    for (const int64_t steps : {0, 1, 3}) {
        std::string looped = text;
        const std::size_t at = looped.find(" state main {"), end = looped.find(" state last");
        looped.insert(end, " }\n");
        looped.insert(at, " for step = 0; step < T; step = step + 1 {\n");
        looped.replace(looped.find("symbol N"), 8, "symbol N, T");
        Differentiated d(looped, "out", "A");
        REQUIRE(d.errors() == "");
        d.set("N", 4).set("T", steps).check();
    }
}

TEST_CASE("Sequential maps without order among iterations stay maps") {
    for (const char *map : {"map m[i = 0:N] (Sequential) with <- t[0:N]; -> t[0:N] {\n c: o = sin(x)  with x <- t[i]; o -> t[i]\n}",
                            "map m[i = 0:N] (Sequential) with <- t[0:N]; -> s (wcr = \"lambda a, b: a + b\") {\n"
                            " c: o = x * x  with x <- t[i]; o -> s (wcr = \"lambda a, b: a + b\")\n}"}) {
        check(map);
        CHECK(loopsIn(Differentiated(programOf(map), "out", "A")) == 0);
    }
}

TEST_CASE("Nested SDFGs that change an argument are computed again from what it was") {
    const std::string row = "map r[i = 0:N] (CPU_Multicore) with <- t[0:N, 0:N]; -> t[0:N, 1:N] {\n"
                            " first: o = x  with x <- t[i, 0]; o -> w\n"
                            " map m[j = 1:N] (Sequential) with <- t[i, 0:N], <- w; -> t[i, 1:N], -> w {\n"
                            "  c: o = sin(x) * y; p = o + 1  with x <- w, y <- t[i, j]; p -> w, o -> t[i, j]\n }\n}";
    std::string text = programOf(row, "N, N");
    text.insert(text.find(" transient s"), " transient w: float64\n");
    Differentiated d(text, "out", "A");
    REQUIRE(d.errors() == "");
    d.set("N", 4).check();
}
