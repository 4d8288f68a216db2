#include "Symbolic/Helpers.h"

#include "sdfgc/Symbolic/Rounding.h"
#include "sdfgc/Symbolic/Subset.h"

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), K = Expr::symbol("K");
const Expr element = subscript("A", {Expr(0)}); // of unknown type: no assumptions
} // namespace

TEST_CASE("truth values count as numbers", "[division]") {
    CHECK(P("64 % False").kind() == SymbolicKind::Undefined);
    CHECK(P("False % False").kind() == SymbolicKind::Undefined);
    CHECK(P("Mod(N, False)").kind() == SymbolicKind::Undefined);
    CHECK(P("N % True") == 0);
    CHECK(P("N ** True") == P("N"));
    CHECK(P("N ** False") == 1);
    CHECK(P("5 << True") == 10);
}

TEST_CASE("factors that only the finished denominator shows are cancelled", "[division]") {
    const Expr e = P("(P(1) / (M - 1) + 1)*(M - 1)*(M - 1)*(N + 1)*(N + 1)*(N + 1)*(L - 1) // 3"); // too long to be expanded
    CHECK(e.str() == "(L - 1)*(M - 1)*(M + P(1) - 1)*(N + 1)**3 // 3");
    CHECK(P(printDace(e, {})) == e);
}

TEST_CASE("floor division by a constant", "[division]") {
    CHECK(floorDiv(Expr(7), 2) == Expr(3));
    CHECK(floorDiv(Expr(-7), 2) == Expr(-4));
    CHECK(floorDiv(Expr(7), -2) == Expr(-4));
    CHECK(floorDiv(N, 1) == N);
    CHECK(floorDiv(4 * N, 4) == N);
    CHECK(floorDiv(N + 4, 4) == 1 + floorDiv(N, 4));
    CHECK(floorDiv(N - 1, 4) == floorDiv(N + 3, 4) - 1);
    CHECK(floorDiv(4 * N + M, 4) == N + floorDiv(M, 4));
    CHECK(floorDiv(4 * N, 8) == floorDiv(N, 2));
    CHECK(floorDiv(4 * N + 3, 8) == floorDiv(N, 2));
    CHECK(floorDiv(5 * N, 4) == N + floorDiv(N, 4));
    CHECK(floorDiv(N / 2, 2) == floorDiv(N, 4));
    CHECK(floorDiv(N, Expr::rational(1, 2)) == 2 * N);
    CHECK(floorDiv(N, -4) == floorDiv(-N, 4));
    CHECK(floorDiv(floorDiv(N, 2), 4) == floorDiv(N, 8));
    CHECK(floorDiv(floorDiv(N - 4, 2) - 4, 2) == floorDiv(N, 4) - 3);
    CHECK(floorDiv(N, 0).isUndefined());
    CHECK(floorDiv(Expr::floating(7.5), 2) == Expr::floating(3.0));
    CHECK(floorDiv(N, 4).str() == "N // 4");
}

TEST_CASE("floor division by a symbol", "[division]") {
    CHECK(floorDiv(N, N) == Expr(1));
    CHECK(floorDiv(M * N, N) == M);
    CHECK(floorDiv(M * N + K, N) == M + floorDiv(K, N));
    CHECK(floorDiv(2 * N, 2 * M) == floorDiv(N, M));
    CHECK(floorDiv(K * N, K * M) == floorDiv(N, M));
    CHECK(floorDiv(-N, -M) == floorDiv(N, M));
    CHECK(floorDiv(2 * N + 2, N + 1) == Expr(2));
    CHECK(floorDiv(0, N) == Expr(0));
    CHECK(floorDiv(N, M).kind() == SymbolicKind::FloorDiv);
    CHECK(floorDiv(N, M).operands()[1] == M);
}

TEST_CASE("floor and ceiling", "[division]") {
    CHECK(floor(N * M + 1) == N * M + 1);
    CHECK(floor(N / 4) == floorDiv(N, 4));
    CHECK(floor(Expr::rational(1, 4) + N / 4) == floorDiv(N + 1, 4));
    CHECK(ceil(Expr::rational(1, 4) + N / 4) == floorDiv(N + 4, 4));
    CHECK(ceil(N / 32) == floorDiv(N + 31, 32));
    CHECK(ceil(N / M) == ceilDiv(N, M));
    CHECK(ceil(Expr::rational(-1, 2)) == Expr(0));
    CHECK(floor(Expr::rational(-1, 2)) == Expr(-1));
    CHECK(floor(Expr::floating(2.5)) == Expr::floating(2.0));
    CHECK(floor(N + Expr::floating(2.5)) == N + Expr::floating(2.0));
    CHECK(ceil(N + Expr::floating(2.5)) == N + Expr::floating(3.0));
    CHECK(ceil(Expr::floating(2.5)) == Expr::floating(3.0));
    CHECK(floor(floor(N / M)) == floor(N / M));
}

TEST_CASE("ceiling division", "[division]") {
    CHECK(ceilDiv(Expr(7), 2) == Expr(4));
    CHECK(ceilDiv(Expr(-7), 2) == Expr(-3));
    CHECK(ceilDiv(N, 1) == N);
    CHECK(ceilDiv(4 * N, 4) == N);
    CHECK(ceilDiv(N, N) == Expr(1));
    CHECK(ceilDiv(M * N + 1, N) == M + ceilDiv(1, N));
    CHECK(ceilDiv(N, 4) == floorDiv(N + 3, 4));
    CHECK(ceilDiv(N, M).kind() == SymbolicKind::CeilDiv);
    CHECK(ceilDiv(N, 0).isUndefined());
}

TEST_CASE("values of unknown type are not taken for integers", "[division]") {
    CHECK(floor(element).kind() == SymbolicKind::Floor);
    CHECK(floor(element + N) == N + floor(element));
    CHECK(ceil(element).kind() == SymbolicKind::Ceil);
    CHECK(floorDiv(4 * element, 4) == floor(element));
    CHECK(floorDiv(2 * element + 1, 4).kind() == SymbolicKind::FloorDiv);
    CHECK(ceilDiv(element, 4).kind() == SymbolicKind::CeilDiv);
    CHECK(mod(4 * element, 4).kind() == SymbolicKind::Mul); // 4 * (A[0] mod 1)
    CHECK(floor(Expr::floating(0.5) * N).kind() == SymbolicKind::Floor);
    CHECK(floorDiv(Expr::floating(0.5) * N, 4) == floor(Expr::floating(0.125) * N));
}

TEST_CASE("modulo takes the sign of the divisor", "[division]") {
    CHECK(mod(Expr(7), 3) == Expr(1));
    CHECK(mod(Expr(-7), 3) == Expr(2));
    CHECK(mod(Expr(7), -3) == Expr(-2));
    CHECK(mod(Expr::rational(7, 2), 2) == Expr::rational(3, 2));
    CHECK(mod(Expr::floating(-0.5), 2) == Expr::floating(1.5));
    CHECK(mod(4 * N, 4) == Expr(0));
    CHECK(mod(N, 1) == Expr(0));
    CHECK(mod(N + 4, 4) == mod(N, 4));
    CHECK(mod(5 * N - 1, 4) == mod(N + 3, 4));
    CHECK(mod(2 * N, 4) == 2 * mod(N, 2));
    CHECK(mod(mod(N, 8), 4) == mod(N, 4));
    CHECK(mod(mod(N, 4), 8) == mod(N, 4));
    CHECK(mod(N, -4) == -mod(-N, 4));
    CHECK(mod(N / 8, 2) == mod(N, 16) / 8);
    CHECK(mod(N, 0).isUndefined());
    CHECK(mod(N, N) == Expr(0));
    CHECK(mod(M * N + K, N) == mod(K, N));
    CHECK(mod(2 * N, 2 * M) == 2 * mod(N, M));
    CHECK(mod(N, -M) == -mod(-N, M));
    CHECK(mod(0, N) == Expr(0));
}

TEST_CASE("absolute value", "[division]") {
    CHECK(abs(Expr(-3)) == Expr(3));
    CHECK(abs(-N) == abs(N));
    CHECK(abs(-2 * N) == 2 * abs(N));
    CHECK(abs(M - N) == abs(N - M));
    CHECK(abs(pow(N, 2)) == pow(N, 2));
    CHECK(abs(mod(N, 4)) == mod(N, 4));
    CHECK(abs(-abs(N)) == abs(N));
    CHECK(abs(Expr::complex(3, 4)) == Expr::floating(5));
}

TEST_CASE("what all coefficients have in common", "[division]") {
    CHECK(integerContent(6 * N - 4 * M + 2) == 2);
    CHECK(integerContent(-6 * N - 9) == 3);
    CHECK(integerContent(-4 * N * M) == 4);
    CHECK(integerContent(12) == 12);
    CHECK(integerContent(N) == 1);
    CHECK(integerContent(0) == 1);
    CHECK(integerContent(Expr(INT64_MIN)) == 1);
    CHECK(integerContent(N / 2 + 3) == 1);
    CHECK(integerContent(Expr::rational(3, 2) * N) == 1);
    CHECK(integerContent(2 * N + Expr::floating(4)) == 1);
}

TEST_CASE("one fraction", "[division]") {
    auto is = [](Expr e, Expr n, Expr d) {
        auto [num, den] = asFraction(e);
        INFO(e.str() << " = (" << num.str() << ") / (" << den.str() << ")");
        return num == n && den == d;
    };
    CHECK(is(N, N, 1));
    CHECK(is(0, 0, 1));
    CHECK(is(Expr::rational(-3, 4), -3, 4));
    CHECK(is(N / 4 + Expr::rational(1, 6), 3 * N + 2, 12));
    CHECK(is(N * M / 2, N * M, 2));
    CHECK(is(N / M, N, M));
    CHECK(is(N / M + 1, M + N, M));
    CHECK(is(N / M + M / N, N * N + M * M, M * N));
    CHECK(is(1 / (2 * M) + 1 / (3 * M * M), 3 * M + 2, 6 * M * M));
    CHECK(is(1 / (N + 1) + 1 / (N - 1), 2 * N, N * N - 1));
    CHECK(is(2 / (1 + 1 / N), 2 * N, N + 1));
    CHECK(is(1 / (2 * N - 2), 1, 2 * N - 2));
    CHECK(is(1 / (1 - N), -1, N - 1));
    CHECK(is((2 * N + 2) / (4 * M), N + 1, 2 * M));
    CHECK(is(floorDiv(N, 2) / 3, floorDiv(N, 2), 3));
}

TEST_CASE("affine in a symbol", "[division]") {
    auto is = [](Expr e, Expr c, Expr r) {
        auto parts = affineIn(e, "N");
        return parts && parts->first == c && parts->second == r;
    };
    CHECK(is(3 * N + M, 3, M));
    CHECK(is(N, 1, 0));
    CHECK(is(M, 0, M));
    CHECK(is(N * M + N + 2, M + 1, 2));
    CHECK(is(N / 2, Expr::rational(1, 2), 0));
    CHECK_FALSE(affineIn(N * N, "N"));
    CHECK_FALSE(affineIn(floorDiv(N, 2), "N"));
    CHECK_FALSE(affineIn(1 / N, "N"));
    CHECK_FALSE(affineIn(N * min({N, M}), "N"));
}

TEST_CASE("what is rounded of a minimum or maximum of quotients is each of them", "[division]") {
    CHECK(ceil(max({N / 3, Expr(2)})) == max({ceil(N / 3), Expr(2)}));
    CHECK(floor(min({N / 3, M}) + 1) == min({floor(N / 3), M}) + 1);
    CHECK(ceilDiv(max({N / 3, Expr(2)}), 2) == max({ceil(N / 6), Expr(1)}));
    CHECK(ceil(max({element, Expr(2)})).kind() == SymbolicKind::Ceil); // not a quotient
}

TEST_CASE("floating-point numbers where integers are needed", "[division]") {
    CHECK(inIntegers(P("2.0**N + 0.5*M")) == P("2**N + M/2"));
    CHECK(inIntegers(P("0.1*N")) == N / 10);
    CHECK(inIntegers(P("floor(1.5*N)")) == floorDiv(3 * N, 2));
    CHECK(evaluate(P("2.0**N"), {{"N", 3}}) == 8);
    CHECK_FALSE(realPart(inIntegers(P("2.0**N*M - 1"))));
    CHECK_FALSE(realPart(P("floor(sqrt(N))")));
    CHECK(realPart(P("M + sqrt(N)")) == P("sqrt(N)"));
    CHECK(realPart(inIntegers(P("0.3*N"))) == Expr::floating(0.3));
    CHECK(realPart(N + M, [](Name n) { return n == Name("M"); }) == M);
    CHECK(scaledPower(P("24*2**N"))->exponent == N + 3);
    CHECK_FALSE(scaledPower(P("3*2**N")));
}

TEST_CASE("bounds of ranges are rounded down", "[division]") {
    CHECK(roundedDown(N / 2 - 1) == floorDiv(N, 2) - 1);
    CHECK(roundedDown(N / M) == floorDiv(N, M));
    CHECK(roundedDown(min({N / 2 - 1, M})) == min({floorDiv(N, 2) - 1, M}));
    CHECK(roundedDown(K + max({N / 2, M})) == K + max({floorDiv(N, 2), M}));
    CHECK(roundedDown(element) == element);
    CHECK(roundedDown(Expr::rational(-1, 2)) == Expr(-1));
    CHECK((Range{0, N / 2 - 1}).steps() == floorDiv(N, 2));
    CHECK((Range{0, N - 1, 2}).steps() == ceilDiv(N, 2));
    CHECK((Range{P("2.0*N - 5"), P("2.0*N - 5")}).steps().isOne());
}
