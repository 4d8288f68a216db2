// Programs in files, which tools/dev/agree_gradients.py compiles, too.
#include "Gradient.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace sdfgc::test;

namespace {

struct File {
    const char *name, *of, *wrt;
    std::map<std::string, int64_t> symbols = {};
};

std::string textOf(const std::string &name) {
    std::ifstream in(SDFGC_SOURCE_DIR "/test/Gradients/graphs/" + name + ".sdfgt");
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

void check(const std::vector<File> &files) {
    for (const File &f : files)
        for (const char *strategy : {"", "strategy=store"}) {
            INFO(f.name << " " << strategy);
            Differentiated d(textOf(f.name), f.of, f.wrt, strategy);
            for (const auto &[symbol, value] : f.symbols)
                d.set(symbol, value);
            if (f.name == std::string("cleared_assigned_twice"))
                d.set("m", std::vector<double>{1, 0, 0});
            d.check();
        }
}

} // namespace

TEST_CASE("gradients of containers whose size changes are cleared where the size is known, once for all that uses them") {
    check({{"cleared_inner_loop", "out", "A"},
           {"cleared_assigned_twice", "out", "A"},
           {"cleared_inner_while", "out", "A", {{"N", 4}}},
           {"cleared_branch", "out", "A"}});
}

TEST_CASE("tapes hold what lies inside of a container, where a condition keeps the program from reading the rest") {
    check({{"guarded_condition", "out", "A", {{"N", 5}}},
           {"guarded_either_side", "out", "A", {{"N", 5}}},
           {"guarded_symbol", "out", "A", {{"N", 5}, {"s", 2}}}});
    // Nothing is read at all.
    Differentiated none(textOf("guarded_symbol"), "out", "A");
    none.set("N", 3).set("s", 100000000).checkGradients();
}

TEST_CASE("gradients of tasklets that read and write elements of one container, in any order of their connectors") {
    check({{"element_of_result", "G", "A"}});
}

TEST_CASE("gradients of maxima whose results a loop overwrites") { check({{"maxima_in_time", "out", "A", {{"N", 4}}}}); }

TEST_CASE("tangents of nested SDFGs that have one container by two arguments are refused") {
    Differentiated d(R"(
        sdfg f(x, out) {
          argument x: float64[1]
          argument out: float64[1]
          transient s: float64
          state a {
            c: o = a * a  with a <- x[0]; o -> s
          }
          state b {
            nested n with p: float64 <- s; q: float64 -> s {
              sdfg n(p, q) {
                argument p: float64
                argument q: float64
                state f {
                  c: r = sin(v)  with v <- p; r -> q
                }
              }
            }
          }
          state e {
            c: o = a * a  with a <- s; o -> out[0]
          }
        }
    )",
                     "out", "x");
    CHECK(d.errors().starts_with("SD4714"));
    CHECK(d.tangentErrors().starts_with("SD4714"));
}
