// Headers of loops that count to a bound.
#include "Graphs.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// The values of the variable, in the order in which the loop runs, and its final value; `none` for a loop that does not count to a
/// bound.
std::string header(const std::string &head) {
    const auto g = readGraph("sdfg f {\n symbol N, i: int64\n for " + head + " {\n state s {}\n }\n}\n");
    const auto found = analysis::headerOf(*cast<ir::LoopRegion>(g->start()));
    return found ? sym::Subset({found->walk()}).str() + ", then " + found->last().str() : "none";
}

} // namespace

TEST_CASE("Loops that count up and down") {
    CHECK(header("i = 0; i < N; i = i + 1") == "0:N, then max(N, 0)");
    CHECK(header("i = 1; i <= N; i = i + 2") == "1:N + 1:2, then 2*max((N + 1) // 2, 0) + 1");
    CHECK(header("i = N - 1; i >= 0; i = i - 1") == "N - 1:-1:-1, then min(N, 0) - 1");
    CHECK(header("i = 0; i != N; i = i + 1") == "none");
    CHECK(header("i = 0; i < N and i < 4; i = i + 1") == "none");
    CHECK(header("i = 0; i < N; i = 2 * i") == "none");
}

TEST_CASE("A bound that need not be a whole number is none: the loop would run once more than to the number below it") {
    for (const char *bound : {"sqrt(N)", "0.5 * N", "log2(N) + 0.5", "2.5", "min(N, 2.5)", "f(N)", "(N if N > 2 else 2.5)"}) {
        INFO(bound);
        CHECK(header("i = 0; i < " + std::string(bound) + "; i = i + 1") == "none");
        CHECK(header("i = N; i > " + std::string(bound) + "; i = i - 1") == "none");
        CHECK(header("i = " + std::string(bound) + "; i < N; i = i + 1") == "none");
    }
    for (const char *bound :
         {"floor(sqrt(N))", "ceil(0.5 * N)", "int(sqrt(N))", "(N >> 1)", "N // 2", "N % 3", "(N if N > 2 else 2)"}) {
        INFO(bound);
        CHECK(header("i = 0; i < " + std::string(bound) + "; i = i + 1") != "none");
    }
}
