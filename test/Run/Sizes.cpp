#include "Run/Sizes.h"
#include "sdfgc/Run/Arguments.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::run;

namespace {

sym::Expr expr(const char *text) { return *sym::parse(text).expr; }
std::string text(const SizeSolver &s) {
    std::string out;
    for (const auto &[name, value] : s.values())
        out += name.str() + "=" + std::to_string(value) + " ";
    return out;
}

} // namespace

TEST_CASE("symbols follow from shapes") {
    SizeSolver s;
    diag::Engine d;
    s.require(expr("2*M + N"), 25, "A"); // needs N first
    s.require(expr("N + 1"), 6, "B");
    s.require(expr("(M + 2)/4"), 3, "C");
    s.solve(d);
    CHECK(text(s) == "M=10 N=5 ");
    CHECK_FALSE(d.hasErrors());
}

TEST_CASE("what does not decide a symbol is left open, contradictions are reported") {
    SizeSolver s;
    diag::Engine d;
    s.require(expr("N*N"), 9, "A");
    s.require(expr("P + Q"), 9, "A");
    s.require(expr("2*R"), 9, "A");
    s.solve(d);
    CHECK(text(s).empty());
    CHECK_FALSE(d.hasErrors());
    s.know(Name("N"), 4, "--arg N");
    s.require(expr("8"), 9, "E");
    s.solve(d);
    REQUIRE(d.all().size() == 2);
    CHECK(d.all()[0].message == "A is 9, but the program expects N**2 = 16: N = 4 by --arg N");
    CHECK(d.all()[1].message == "E is 9, but the program expects 8 = 8: the program fixes it");
}

TEST_CASE("elements are visited in row-major order of their indices") {
    std::vector<int64_t> seen;
    forEachElement({2, 3}, {1, 2}, [&](int64_t o) { seen.push_back(o); });
    CHECK(seen == std::vector<int64_t>{0, 2, 4, 1, 3, 5});
    seen.clear();
    forEachElement({}, {}, [&](int64_t o) { seen.push_back(o); });
    CHECK(seen == std::vector<int64_t>{0});
    seen.clear();
    forEachElement({3, 0}, {1, 1}, [&](int64_t o) { seen.push_back(o); });
    CHECK(seen.empty());
}
