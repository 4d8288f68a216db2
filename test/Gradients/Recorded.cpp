// Programs of NPBench (BSD-3-Clause) as recorded by DaCe's Python front end: views, slices whose width depends on the iteration,
// in-place updates, rows of a sparse matrix, reductions.
#include "Gradient.h"
#include "SourceTree.h"

#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

struct Recorded {
    const char *name, *of, *wrt;
    std::map<std::string, int64_t> symbols;
    Arrays values = {};
    bool isSingle = false; // finite differences of float32 are too inaccurate: reverse mode is compared with forward mode
};

const std::vector<Recorded> programs = {
    {"trisolv", "x", "L b x", {{"N", 5}}},
    {"durbin", "__return", "r", {{"N", 5}}, {{"r", {0.4, 0.3, -0.2, 0.1, 0.25}}}},
    {"gesummv", "__return", "alpha beta A B x", {{"N", 4}}},
    {"cholesky", "A", "A", {{"N", 4}}, {{"A", {4, 1, 0.5, 0.25, 1, 5, 0.7, 0.3, 0.5, 0.7, 6, 0.9, 0.25, 0.3, 0.9, 7}}}},
    {"spmv", "__return", "A_val x", {{"M", 3}, {"N", 4}, {"nnz", 5}}, {{"A_row", {0, 2, 2, 5}}, {"A_col", {1, 3, 0, 1, 2}}}},
    {"softmax", "__return", "x", {{"N", 2}, {"H", 2}, {"SM", 3}}, {}, true},
};

} // namespace

TEST_CASE("Recorded programs") {
    for (const Recorded &p : programs) {
        INFO(p.name);
        const auto text = sdfgc::file::read(std::string(SDFGC_SOURCE_DIR) + "/test/Gradients/graphs/" + p.name + ".sdfgt");
        REQUIRE(text);
        Differentiated d(*text, p.of, p.wrt);
        for (const auto &[name, value] : p.symbols)
            d.set(name, value);
        for (const auto &[name, values] : p.values)
            d.set(name, values);
        if (p.isSingle)
            d.checkTangents();
        else
            d.check();
    }
}
