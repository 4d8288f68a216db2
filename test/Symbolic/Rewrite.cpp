#include "Symbolic/Helpers.h"

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");
} // namespace

TEST_CASE("substitution is simultaneous and simplifies", "[rewrite]") {
    CHECK(substitute(N + 2 * M, {{"N", M}, {"M", N}}) == M + 2 * N);
    CHECK(substitute(floorDiv(N, 4), {{"N", 4 * M + 3}}) == M);
    CHECK(substitute(min({N, M}), {{"N", M + 1}}) == M);
    CHECK(substitute(floorDiv(N, 2) + M, {{"N", 2 * N}}) == N + M); // the N in the result is not replaced again
    CHECK(substitute(min({N, M}), {{"N", N + 2}, {"M", N + 1}}) == N + 1);
    CHECK(substitute(N, {}) == N);
    CHECK(substitute(N + 1, {{"Z", M}}) == N + 1);
    CHECK(substitute(compare(SymbolicKind::Lt, N, M), {{"N", Expr(1)}, {"M", Expr(2)}}) == Expr::boolean(true));
    CHECK(substitute(pow(N, i), {{"i", Expr(2)}}) == N * N);
    CHECK(substitute(1 / N, {{"N", Expr(0)}}).isUndefined());
    CHECK(substitute(select(compare(SymbolicKind::Gt, N, 0), M, i), {{"N", Expr(1)}}) == M);
    CHECK(substitute(call("f", {N}), {{"N", Expr(3)}}) == call("f", {Expr(3)}));
    CHECK(substitute(mod(N, M), {{"M", Expr(1)}}) == Expr(0));
    CHECK(substitute(bitwise(SymbolicKind::BitAnd, N, M), {{"M", Expr(0)}}) == Expr(0));
    CHECK(substitute(cast(Type(ScalarKind::Int8), N + 1), {{"N", Expr(1)}}) == Expr(2));
    CHECK(substitute(abs(N), {{"N", Expr(-3)}}) == Expr(3));
}

TEST_CASE("containers are renamed by symbols only", "[rewrite]") {
    Expr s = Expr::symbol("s");
    CHECK(substitute(subscript("A", {i}), {{"A", Expr::symbol("B")}, {"i", N}}) == subscript("B", {N}));
    CHECK(substitute(subscript("A", {i}), {{"A", N + 1}}) == subscript("A", {i}));
    CHECK(substitute(subscript("s.x", {i}), {{"s", Expr::symbol("t")}}) == subscript("t.x", {i}));
    CHECK(substitute(attr(s, "x"), {{"s", Expr::symbol("t")}}) == attr(Expr::symbol("t"), "x"));
    CHECK(substitute(attr(s, "x"), {{"x", N}}) == attr(s, "x"));
}

TEST_CASE("exact and over-approximated sides", "[rewrite]") {
    Expr e = 2 * approx(min({N, M}), N) + 1;
    CHECK(exact(e) == 2 * min({M, N}) + 1);
    CHECK(overApproximation(e) == 2 * N + 1);
    CHECK(exact(N) == N);
    CHECK(approx(N, N) == N);
}

TEST_CASE("rewriting bottom-up", "[rewrite]") {
    auto unfloor = [](Expr e) { return e.kind() == SymbolicKind::FloorDiv ? e.operands()[0] / e.operands()[1] : e; };
    CHECK(rewrite(4 * floorDiv(N, 4) + floorDiv(floorDiv(M, 3) + N, i), unfloor) == N + (M / 3 + N) / i);
    CHECK(rewrite(N + M, [](Expr e) { return e.isSymbol() ? Expr(2) : e; }) == Expr(4));
}

TEST_CASE("shared parts are rewritten once", "[rewrite]") {
    // 2^60 paths from the root to N.
    Expr e = N;
    for (int k = 0; k < 60; ++k)
        e = call("f", {e, e});
    CHECK(substitute(e, {{"N", M}}).dependsOn("M"));
    CHECK_FALSE(evaluate(e, {{"N", 1}}));
    Expr sum = N;
    for (int k = 0; k < 60; ++k)
        sum = min({floorDiv(sum, 3), M - sum});
    CHECK(evaluate(sum, {{"N", 5}, {"M", 7}}));
}

TEST_CASE("evaluation is exact, and truncates what is used", "[rewrite]") {
    std::map<Name, int64_t> at{{"N", 7}, {"M", -3}, {"i", 2}};
    CHECK(evaluate(N * (N + 1) / 2, at) == 28);
    CHECK(evaluate(N / 2, at) == 3);
    CHECK(evaluate(M / 2, at) == -1);
    CHECK(evaluate(N / 2 + 5 / i, at) == 6);
    CHECK(evaluate(compare(SymbolicKind::Lt, 3, N / 2), at) == 0);
    CHECK(evaluate(compare(SymbolicKind::Eq, i + 1, N / 2), at) == 1);
    CHECK(evaluate(logicalNot(i / N), at) == 1);
    CHECK(evaluate(N / 2 + Expr::rational(1, 2), at) == 4);
    CHECK(evaluate(floorDiv(M, i), at) == -2);
    CHECK(evaluate(ceilDiv(M, i), at) == -1);
    CHECK(evaluate(mod(M, N), at) == 4);
    CHECK(evaluate(mod(N, M), at) == -2);
    CHECK(evaluate(abs(M), at) == 3);
    CHECK(evaluate(min({N, M, i}), at) == -3);
    CHECK(evaluate(max({N, M, i}), at) == 7);
    CHECK(evaluate(pow(N, i), at) == 49);
    CHECK(evaluate(pow(i, M), at) == 0); // 1/8
    CHECK(evaluate(8 * pow(i, M), at) == 1);
    CHECK(evaluate(compare(SymbolicKind::Lt, M, N), at) == 1);
    CHECK(evaluate(logicalAnd({compare(SymbolicKind::Lt, N, M), compare(SymbolicKind::Eq, N / (i - 2), 1)}), at) ==
          0); // stops before dividing
    CHECK(evaluate(logicalOr({compare(SymbolicKind::Lt, M, N), subscript("A", {i})}), at) == 1);
    CHECK(evaluate(select(compare(SymbolicKind::Lt, N, M), N, i), at) == 2);
    CHECK(evaluate(logicalNot(call("f", {})), at) == std::nullopt);
    CHECK(evaluate(bitwise(SymbolicKind::BitXor, N, i), at) == 5);
    CHECK(evaluate(bitwise(SymbolicKind::Shl, N, i), at) == 28);
    CHECK(evaluate(bitNot(N), at) == -8);
    CHECK(evaluate(approx(N, M), at) == 7);
    CHECK(evaluate(cast(Type(ScalarKind::Int8), N + 1), at) == 8);
    CHECK_FALSE(evaluate(cast(Type(ScalarKind::Int8), N * 100), at));
    CHECK(evaluate(cast(Type(ScalarKind::Bool), N + 1), at) == 1);
    CHECK_FALSE(evaluate(cast(Type(ScalarKind::Float32), N + 1), at));
    CHECK_FALSE(evaluate(Expr::symbol("unbound"), at));
    CHECK_FALSE(evaluate(N / (i - 2), at));
    CHECK_FALSE(evaluate(mod(N, i - 2), at));
    CHECK_FALSE(evaluate(pow(N, 60), at));
    CHECK_FALSE(evaluate(Expr::floating(0.5) * N, at));
    CHECK_FALSE(evaluate(Expr::none(), at));
    CHECK(evaluate(Expr::boolean(true), at) == 1);
}
