#include "Symbolic/Helpers.h"

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");
constexpr Truth yes = Truth::True, no = Truth::False, open = Truth::Unknown;
} // namespace

TEST_CASE("differences that are numbers", "[reasoning]") {
    CHECK(isLess(N, N + 1) == yes);
    CHECK(isLess(N, N) == no);
    CHECK(isLessEqual(N, N) == yes);
    CHECK(isLessEqual(N + 1, N) == no);
    CHECK(isEqual(N, N + 1) == no);
    CHECK(isEqual(2 * N, N + N) == yes);
    CHECK(isLess(N, M) == open);
    CHECK(isLessEqual(N, M) == open);
    CHECK(isEqual(N, M) == open);
    CHECK(isLess(Expr::floating(0.5), 1) == yes);
    CHECK(isLess(Expr::nan(), 1) == open);
    CHECK(isLess(Expr::undefined(), 1) == open);
    CHECK(isEqual(Expr::undefined(), Expr::undefined()) == open);
}

TEST_CASE("signs of symbols", "[reasoning]") {
    CHECK(isNonNegative(N, nonNegative({"N"})) == yes);
    CHECK(isPositive(N, nonNegative({"N"})) == open);
    CHECK(isPositive(N, positive({"N"})) == yes);
    CHECK(isNonNegative(-N, positive({"N"})) == no);
    CHECK(isNonNegative(-N, nonNegative({"N"})) == open);
    CHECK(isPositive(-N, nonNegative({"N"})) == no);
    CHECK(isNonNegative(N) == open);
    Assumptions typed;
    typed["N"].type = Type(ScalarKind::UInt32);
    CHECK(isNonNegative(N, typed) == yes);
    CHECK(isLess(N, Expr(int64_t(1) << 32), typed) == yes);
    typed["N"].nonzero = true;
    CHECK(isPositive(N, typed) == yes);
    CHECK(isEqual(N, 0, typed) == no);
    Assumptions nonzero;
    nonzero["N"].nonzero = nonzero["M"].nonzero = true;
    CHECK(isEqual(N * M, 0, nonzero) == no);
    CHECK(isEqual(N + M, 0, nonzero) == open);
}

TEST_CASE("affine expressions and products", "[reasoning]") {
    CHECK(isNonNegative(N - 1, positive({"N"})) == yes);
    CHECK(isNonNegative(N - 2, positive({"N"})) == open);
    CHECK(isNonNegative(M * N - M, positive({"N", "M"})) == yes);
    CHECK(isPositive(M * N + 1, nonNegative({"N", "M"})) == yes);
    CHECK(isLess(N + M, N + M + i, positive({"i"})) == yes);
    CHECK(isLessEqual(N, 2 * N, nonNegative({"N"})) == yes);
    CHECK(isNonNegative((N - 1) * (M - 1), positive({"N", "M"})) == yes);
    CHECK(isNonNegative(pow(N, 2)) == yes);
    CHECK(isNonNegative(pow(N, 3)) == open);
    CHECK(isNonNegative(pow(N, i), nonNegative({"N"})) == yes);
    CHECK(isPositive(pow(N, i), [] {
              Assumptions f = positive({"N"});
              f["i"].nonnegative = true;
              return f;
          }()) == yes);
    CHECK(isPositive(N / 2, positive({"N"})) == yes);
    CHECK(isNonNegative(1 / N, positive({"N"})) == yes);
    CHECK(isEqual(2 * N, 2 * M + 1) == no);
    CHECK(isEqual(3 * N, 6 * M + 3) == open);
}

TEST_CASE("order is that of truncated quotients", "[reasoning]") {
    const Assumptions facts = nonNegative({"N"});
    CHECK(isLess(0, Expr::rational(1, 2)) == no);
    CHECK(isEqual(0, Expr::rational(1, 2)) == yes);
    CHECK(isLess(N / 2, (N + 1) / 2, facts) == open);
    CHECK(isLess(N / 2, (N + 2) / 2, facts) == yes);
    CHECK(isLess((N + 1) / 2, N / 2, facts) == no);
    CHECK(isEqual(N / 2, (N + 1) / 2, facts) == open);
    CHECK(isEqual(N / 2, N / 2 + 1, facts) == no);
    CHECK(isLessEqual(N / 2, N, facts) == yes);
    CHECK(isLess((N - 1) / 2, N / 2) == open);
    CHECK(isLess((N - 1) / 2, (N + 3) / 2) == yes);
    CHECK(isLess(M, M + N / 2 + 1, facts) == yes);
    CHECK(isEqual(N / 2, N / 2 + 2) == no);
    CHECK(isNonNegative(Expr::rational(-1, 2)) == no);
    CHECK(truncated(N / 2, facts) == floorDiv(N, 2));
    CHECK(truncated(-N / 2, facts) == -floorDiv(N, 2));
    CHECK_FALSE(truncated(N / 2));
    CHECK(truncated(Expr::rational(-7, 2)) == Expr(-3));
    CHECK(truncated(Expr::floating(0.5) * N) == Expr::floating(0.5) * N);
}

TEST_CASE("bounds of minimum and maximum", "[reasoning]") {
    CHECK(isLessEqual(min({N, M}), N) == yes);
    CHECK(isLessEqual(N, max({N, M})) == yes);
    CHECK(isLess(min({N - 1, M}), N) == yes);
    CHECK(isLess(max({N, M}), N) == no);
    CHECK(isLess(max({N, M}), max({N, M}) + 1) == yes);
    CHECK(isLessEqual(min({N, M}), max({N, M})) == yes);
    CHECK(isNonNegative(min({N, M}), nonNegative({"N", "M"})) == yes);
    CHECK(isNonNegative(min({N, M}), nonNegative({"N"})) == open);
    CHECK(isNonNegative(max({N, M}), nonNegative({"N"})) == yes);
    CHECK(isLessEqual(3 * min({N, M}), 3 * M) == yes);
    CHECK(isLessEqual(i * min({N, M}), i * M, nonNegative({"i"})) == yes);
    CHECK(isLess(approx(min({N - 1, i}), i), N) == yes);
}

TEST_CASE("bounds of rounding and modulo", "[reasoning]") {
    CHECK(isLess(mod(N, 4), 4) == yes);
    CHECK(isNonNegative(mod(N, 4)) == yes);
    CHECK(isLess(mod(N, M), M, positive({"M"})) == yes);
    CHECK(isLess(mod(N, M), M) == open);
    CHECK(isLessEqual(mod(N, M), N, [] {
              Assumptions f = positive({"M"});
              f["N"].nonnegative = true;
              return f;
          }()) == yes);
    CHECK(isNonNegative(floorDiv(N, 4), nonNegative({"N"})) == yes);
    CHECK(isLessEqual(4 * floorDiv(N, 4), N) == yes);
    CHECK(isLess(N, 4 * floorDiv(N, 4) + 4) == yes);
    CHECK(isLessEqual(M * floorDiv(N, M), N, positive({"M"})) == yes);
    CHECK(isLessEqual(N, M * ceilDiv(N, M), positive({"M"})) == yes);
    CHECK(isLess(M * ceilDiv(N, M), N + M, positive({"M"})) == yes);
    CHECK(isLessEqual(N, 32 * ceilDiv(N, 32)) == yes);
    CHECK(isLessEqual(floorDiv(N, 2), N, nonNegative({"N"})) == yes);
    CHECK(isLessEqual(abs(N), N) == open);
    CHECK(isLessEqual(N, abs(N)) == yes);
    CHECK(isLessEqual(abs(N), max({N, -N})) == yes);
    CHECK(isNonNegative(bitwise(SymbolicKind::BitAnd, N, 7)) == yes);
    CHECK(isLess(bitwise(SymbolicKind::BitAnd, N, 7), 8) == yes);
    CHECK(isNonNegative(cast(Type(ScalarKind::UInt8), N + 1)) == yes);
    CHECK(isLess(cast(Type(ScalarKind::UInt8), N + 1), 256) == yes);
    CHECK(isNonNegative(select(compare(SymbolicKind::Lt, N, M), 1, 2)) == yes);
}

TEST_CASE("values of unknown type have no integer gaps", "[reasoning]") {
    Expr e = subscript("A", {Expr(0)});
    CHECK(isLess(e, e + 1) == yes);
    CHECK(isPositive(e) == open);
    CHECK(isLessEqual(floor(e), e) == open);
    CHECK(isLess(mod(e, 4), 4) == open); // the only known real bound is 4, inclusive
    CHECK(isLessEqual(mod(e, 4), 4) == yes);
}

TEST_CASE("hard questions end", "[reasoning]") {
    std::vector<Expr> parts;
    Expr sum = 0;
    for (int k = 0; k < 40; ++k)
        sum += min(
            {Expr::symbol("a" + std::to_string(k)), Expr::symbol("b" + std::to_string(k)), Expr::symbol("c" + std::to_string(k))});
    CHECK(isNonNegative(sum) == open);
    CHECK(isNonNegative(-sum) == open);
}
