// Programs in files, which tools/dev/agree_gradients.py also compiles.
#include "Gradient.h"
#include "SourceTree.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace sdfgc::test;

namespace {

struct File {
    const char *name, *of, *wrt;
    std::map<std::string, int64_t> symbols = {};
    std::map<std::string, std::vector<double>> arrays = {};
};

std::string textOf(const std::string &name) {
    std::ifstream in(SDFGC_SOURCE_DIR "/test/Gradients/graphs/" + name + ".sdfgt");
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

void check(const std::vector<File> &files, const std::vector<const char *> &options = {"", "strategy=store"}) {
    for (const File &f : files)
        for (const char *strategy : options) {
            INFO(f.name << " " << strategy);
            Differentiated d(textOf(f.name), f.of, f.wrt, strategy);
            for (const auto &[symbol, value] : f.symbols)
                d.set(symbol, value);
            for (const auto &[array, values] : f.arrays)
                d.set(array, values);
            d.check();
        }
}

} // namespace

TEST_CASE("gradients of containers whose size changes are cleared where the size is known, once for all that uses them") {
    check({{"cleared_inner_loop", "out", "A"},
           {"cleared_assigned_twice", "out", "A", {}, {{"m", {1, 0, 0}}}},
           {"cleared_inner_while", "out", "A", {{"N", 4}}},
           {"cleared_branch", "out", "A"}});
}

TEST_CASE("tapes hold what lies inside of a container, where a condition keeps the program from reading the rest") {
    check({{"guarded_condition", "out", "A", {{"N", 5}}},
           {"guarded_either_side", "out", "A", {{"N", 5}}},
           {"guarded_symbol", "out", "A", {{"N", 5}, {"s", 2}}}});
    // Nothing is read.
    Differentiated none(textOf("guarded_symbol"), "out", "A");
    none.set("N", 3).set("s", 100000000).checkGradients();
}

TEST_CASE("gradients of tasklets that read and write elements of one container, in any order of their connectors") {
    check({{"element_of_result", "G", "A"}});
}

TEST_CASE("gradients of maxima whose results a loop overwrites") { check({{"maxima_in_time", "out", "A", {{"N", 4}}}}); }

TEST_CASE("a loop whose symbols it changes itself takes the whole of what it reads along") {
    check({{"gathered_in_loop", "out", "A", {{"N", 5}}},
           {"doubling_index", "out", "A", {{"N", 7}}},
           {"doubling_index", "out", "A", {{"N", 0}}}});
}

TEST_CASE("loops are counted from what the program around hands on") {
    check({{"counted_when_nested", "out", "A", {{"N", 4}}}});
    check({{"counted_in_segments", "out", "A", {{"N", 4}}}}, {"checkpoints=2", ""});
}

TEST_CASE("loops are counted where symbols in front of them are noted") {
    check({{"noted_branch", "out", "A", {{"N", 4}}}, {"noted_variable", "out", "A", {{"N", 4}}}});
}

TEST_CASE("symbols that nested SDFGs are given, and set") {
    check({{"reassigned_symbol", "out", "A", {{"N", 4}}}, {"counted_symbol", "out", "A", {{"N", 5}}}});
}

TEST_CASE("segments of loops that count by symbols, or test their condition afterwards") {
    for (const int64_t n : {0, 1, 2, 5, 6})
        check({{"inverted_in_segments", "out", "A", {{"N", n}}}},
              {"checkpoints='first=2,second=2'", "checkpoints='first=4/2,second=3'"});
    for (const int64_t last : {-4, -3, -2, 8, 9, 11})
        check({{"step_in_segments", "out", "A", {{"N", 3}, {"a0", -3}, {"a1", last}, {"st", 3}}}}, {"checkpoints=2"});
    check({{"two_halves", "out", "A B", {{"N", 4}}}}, {"checkpoints=2", ""});
}

TEST_CASE("reductions with an identity, and within one array") {
    check({{"product_identity", "out", "A"}, {"reduce_disjoint", "A", "A"}});
}

TEST_CASE("stores by a connector that adds are all summands") {
    check({{"stores_that_add", "out", "A"}, {"stores_that_add_in_branch", "out", "A"}});
}

TEST_CASE("a copy out of a map comes before what overwrites its source there") { check({{"overwritten_in_map", "out", "A"}}); }

TEST_CASE("a map that makes and overwrites what an iteration around it has for itself") {
    check({{"made_in_inner_map", "out", "A"}});
}

TEST_CASE("iterations of maps store what they overwrite themselves, in arrays that are not theirs") {
    const std::vector<double> matrices = {2, 0.5, 0.5, 3, 1, 0.2, 0.2, 2};
    check({{"made_in_map", "out", "A m", {{"N", 4}}},
           {"made_in_map", "A", "A m", {{"N", 4}}},
           {"made_rows", "out", "A", {{"N", 3}}},
           {"made_rows", "A", "A", {{"N", 3}}},
           {"result_in_map", "out", "A", {{"N", 2}}, {{"A", matrices}}},
           {"result_in_map", "L", "A", {{"N", 2}}, {{"A", matrices}}}});
}

TEST_CASE("nodes in maps that take rows and columns of what is overwritten") {
    check({{"column_in_map", "out", "A", {{"T", 2}}},
           {"again_column", "out", "A", {{"T", 2}}},
           {"library_in_map", "out", "A", {{"T", 2}}},
           {"unused_column", "out", "A"},
           {"unused_column", "B", "A B"}});
}

TEST_CASE("views as a whole, and copies into scopes of which one side is named") {
    check({{"whole_view", "out", "A"}, {"copied_view", "out", "A"}, {"copied_row", "out", "A"}, {"copied_element", "out", "A"}});
}

TEST_CASE("what a segment only adds to begins with zero in a state that can be differentiated again") {
    check({{"segments_that_add", "out", "A", {{"N", 3}}}}, {"checkpoints=2"});
    Differentiated first(textOf("segments_that_add"), "out", "A", "checkpoints=2");
    REQUIRE(first.errors() == "");
    CHECK(first.text().find("setzero") == std::string::npos);
    Differentiated second(first.text(), "gradient_A", "A", "prefix=d_");
    second.set("N", 3).check();
}

TEST_CASE("nested SDFGs that have one container by two arguments") {
    const auto program = [](const std::string &declared, const std::string &element) {
        return replaced(R"(
            sdfg f(x, out) {
              argument x: float64[1]
              argument out: float64[1]
              transient s: float64[3]
              state a {
                map m[i = 0:3] with <- x[0]; -> s[0:3] {
                  c: o = a * a + i  with a <- x[0]; o -> s[i]
                }
              }
              state b {
                nested n with p <- s[0:2]; q -> s[0:2] {
                  sdfg n(p, q) {
                    argument p: float64[$declared]
                    argument q: float64[2]
                    state f {
                      map m[i = 0:2] with <- p; -> q[0:2] {
                        c: r = sin(v)  with v <- p[$element]; r -> q[i]
                      }
                    }
                  }
                }
              }
              state e {
                c: o = a * b  with a <- s[0], b <- s[2]; o -> out[0]
              }
            }
        )",
                        {{"$declared", declared}, {"$element", element}});
    };
    Differentiated(program("2", "i"), "out", "x").check(); // which are merged into one
    Differentiated d(program("2, 1", "i, 0"), "out", "x");
    d.checkGradients();
    CHECK(d.tangentErrors().starts_with("SD4714"));
}
