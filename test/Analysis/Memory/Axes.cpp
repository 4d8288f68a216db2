// Boxes of iterations, and what is known about the symbols of a program.
#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::analysis;

TEST_CASE("iterations are a box when no range depends on a parameter") {
    const sym::Expr i = sym::Expr::symbol("i"), N = sym::Expr::symbol("N");
    const std::vector<Name> params{"i", "j"};
    const sym::Range whole{0, N - 1, 1, 1};
    CHECK(isBox(params, {whole, whole}));
    CHECK_FALSE(isBox(params, {whole, {i, N - 1, 1, 1}}));
    CHECK_FALSE(isBox(params, {whole, {0, i, 1, 1}}));
    CHECK_FALSE(isBox(params, {whole, {0, N - 1, i + 1, 1}}));
    CHECK(dependOn({whole}, "N"));
    CHECK_FALSE(dependOn({whole}, "i"));
    CHECK_FALSE(dependOn({}, "i"));
}

TEST_CASE("one iteration") {
    const sym::Expr N = sym::Expr::symbol("N");
    const sym::Range once{N, N, 1, 1}, stride{0, 6, 7, 1}, whole{0, N - 1, 1, 1};
    CHECK(isOneIteration({once, stride}));
    CHECK(isOneIteration({}));
    CHECK_FALSE(isOneIteration({once, whole}));
}

TEST_CASE("symbols that are sizes are positive, others are what they were declared as") {
    ir::SDFG g("f");
    const sym::Expr N = sym::Expr::symbol("N"), M = sym::Expr::symbol("M");
    g.arrays.set("A", ir::DataDesc::array(ScalarKind::Float64, {N, M - 1}));
    g.symbolHints["k"].nonnegative = true;
    const sym::Assumptions facts = factsOf(g);
    CHECK(sym::isNonNegative(N - 1, facts) == sym::Truth::True);
    CHECK(sym::isNonNegative(M - 1, facts) != sym::Truth::True); // not a symbol
    CHECK(sym::isNonNegative(sym::Expr::symbol("k"), facts) == sym::Truth::True);
    CHECK(sym::isNonNegative(sym::Expr::symbol("k") - 1, facts) != sym::Truth::True);
}
