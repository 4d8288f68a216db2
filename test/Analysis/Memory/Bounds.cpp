// Minima of expressions in loops, and accesses outside of their container there.
#include "sdfgc/Analysis/Memory/Bounds.h"

#include "Graphs.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::LoopLevel;

namespace {

LoopLevel loop(const char *variable, const char *begin, const char *end, int64_t step) {
    return {Name(variable), {expr(begin), expr(end), step, 1}};
}

std::string least(const char *text, const std::vector<LoopLevel> &loops) {
    const auto found = analysis::leastOf(expr(text), loops);
    return found ? found->str() : "?";
}

} // namespace

TEST_CASE("The least value of an expression is at one of the ends of a loop, whichever way it goes") {
    const LoopLevel up = loop("i", "0", "N - 1", 1), down = loop("i", "N - 1", "0", -1);
    CHECK(least("i + 2", {up}) == "2");
    CHECK(least("i + 2", {down}) == "2");
    CHECK(least("N - i", {up}) == "1");
    CHECK(least("N - i", {down}) == "1");
    CHECK(least("i", {loop("i", "9", "0", -3)}) == "0");
    CHECK(least("i", {loop("i", "9", "2", -3)}) == "3");
    CHECK(least("-i", {loop("i", "0", "8", 3)}) == "-6");
}

TEST_CASE("Loops in loops, of which the inner one goes as far as the outer one is") {
    const LoopLevel down = loop("i", "N - 1", "0", -1);
    CHECK(least("j", {down, loop("j", "i", "N - 1", 1)}) == "0");
    CHECK(least("-j", {down, loop("j", "i", "0", -1)}) == "1 - N");
}

TEST_CASE("Nothing is said of steps whose last value is not known") {
    CHECK(least("-i", {loop("i", "0", "N", 2)}) == "?");
    CHECK(least("i", {loop("i", "N", "0", -2)}) == "?");
    CHECK(least("i", {loop("i", "0", "N", 2)}) == "0");
    CHECK(least("i", {{Name("i"), {expr("0"), expr("N"), expr("s"), 1}}}) == "?");
    CHECK(least("i*i", {loop("i", "0", "N", 1)}) == "?");
}

TEST_CASE("A subset that leaves its container in the last iteration of a loop that counts down") {
    const analysis::IsLess less = [](sym::Expr a, sym::Expr b) { return sym::isPositive(b - a, {}) == sym::Truth::True; };
    const std::vector<LoopLevel> down = {loop("i", "4", "0", -1)};
    CHECK(analysis::whyOutside({expr("i - 1"), expr("i - 1"), 1, 1}, expr("5"), down, less) == "its first index is -1");
    CHECK(analysis::whyOutside({expr("i + 1"), expr("i + 1"), 1, 1}, expr("5"), down, less) ==
          "its last index is 5, the size is 5");
    CHECK(!analysis::whyOutside({expr("i"), expr("i"), 1, 1}, expr("5"), down, less));
    CHECK(!analysis::whyOutside({expr("i - 9"), expr("i - 9"), 1, 1}, expr("5"), {loop("i", "0", "4", -1)}, less)); // no iteration
}

TEST_CASE("A size is largest where it is affine at a corner, else where a formula says; never below 0") {
    const LoopLevel up = loop("i", "0", "N - 1", 1), triangle = loop("j", "i", "N - 1", 1);
    const sym::Assumptions facts = {{Name("N"), {.positive = true}}};
    const auto largest = [&facts](const char *size, const std::vector<LoopLevel> &loops) {
        const auto found = analysis::largestOf(expr(size), loops, facts);
        return found ? found->str() : "?";
    };
    CHECK(largest("N - i", {up}) == "N");
    CHECK(largest("i + 1", {up}) == "N");
    CHECK(largest("N - j", {up, triangle}) == "N");
    CHECK(largest("i - 1", {up}) == "max(N, 2) - 2");
    CHECK(largest("M", {up}) == "max(M, 0)");
    CHECK(largest("i", {{Name("i"), {0, sym::Expr::undefined(), 1, 1}}}) == "?");
}
