#include "Symbolic/Helpers.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");
constexpr int64_t greatest = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
} // namespace

TEST_CASE("equal expressions are one node", "[expr]") {
    CHECK(Expr() == Expr(0));
    CHECK(Expr(5000) == Expr(int64_t(5000)));
    CHECK(N - 1 + 1 == N);
    CHECK(N + M == M + N);
    CHECK(N * M == M * N);
    CHECK((N - 1) * M == N * M - M);
    CHECK((N + 1) * (N + 1) == pow(N, 2) + 2 * N + 1);
    CHECK(N * N == pow(N, 2));
    CHECK(2 * (N + 1) == 2 * N + 2);
    CHECK(N - N == Expr(0));
    CHECK_FALSE(N + 1 == N + 2);
    CHECK_FALSE(N == M);
}

TEST_CASE("numbers are exact", "[expr]") {
    CHECK(Expr::rational(6, 4) == Expr::rational(3, 2));
    CHECK(Expr::rational(4, 2) == Expr(2));
    CHECK(Expr::rational(1, 0).isUndefined());
    CHECK(Expr::rational(1, 2) * N * M * 2 == M * N);
    CHECK(N / 3 + N / 6 == N / 2);
    CHECK((N / 2).operands()[0] == Expr::rational(1, 2));
    CHECK(pow(Expr(8), -1) == Expr::rational(1, 8));
    CHECK(pow(Expr(4), Expr::rational(1, 2)) == Expr(2));
    CHECK(pow(Expr(4), Expr::rational(-1, 2)) == Expr::rational(1, 2));
    CHECK(pow(Expr(2), Expr::rational(1, 2)).kind() == SymbolicKind::Pow);
}

TEST_CASE("accessors", "[expr]") {
    CHECK(Expr(7).asInt() == 7);
    CHECK_FALSE(Expr::rational(1, 2).asInt());
    CHECK_FALSE(N.asInt());
    CHECK(Expr::rational(-1, 2).numerator() == -1);
    CHECK(Expr::rational(-1, 2).denominator() == 2);
    CHECK(Expr(3).denominator() == 1);
    CHECK(Expr::floating(2.5).floatValue() == 2.5);
    CHECK(Expr::complex(1, -2).imagValue() == -2);
    CHECK(Expr::floating(1).imagValue() == 0);
    CHECK(Expr::boolean(true).boolValue());
    CHECK(Expr::floating(INFINITY).kind() == SymbolicKind::Infinity);
    CHECK(Expr::floating(-INFINITY).kind() == SymbolicKind::NegInfinity);
    CHECK(Expr::floating(NAN).kind() == SymbolicKind::NaN);
    CHECK(N.isSymbol("N"));
    CHECK_FALSE(N.isSymbol("M"));
    CHECK(Expr(1).isOne());
    CHECK_FALSE(Expr::floating(1).isOne());
}

TEST_CASE("quotients and powers", "[expr]") {
    CHECK(N * M / N == M);
    CHECK(P("(N + 1)*M/(N + 1)") == M);
    CHECK((2 * N + 2) / (N + 1) == Expr(2));
    CHECK((1 - N) / (N - 1) == Expr(-1));
    CHECK(N / 0 == Expr::undefined());
    CHECK(pow(N, 0) == Expr(1));
    CHECK(pow(N, 2) * pow(N, -2) == Expr(1));
    CHECK(pow(pow(N, 2), 3) == pow(N, 6));
    CHECK(pow(N * M, 2) == pow(N, 2) * pow(M, 2));
    CHECK(pow(2 * N, -1) == Expr::rational(1, 2) * pow(N, -1));
    CHECK(pow(N, i) * N == pow(N, i + 1));
    CHECK(pow(N, i) * pow(N, -i) == Expr(1));
    CHECK(pow(Expr(2), i + 3) == 8 * pow(Expr(2), i));
    CHECK(pow(pow(N, i), 2) == pow(N, 2 * i));
    CHECK(pow(N, Expr::rational(1, 2)) * pow(N, Expr::rational(1, 2)) == N);
    CHECK(pow(N * M, i) * pow(N * M, 1 - i) == M * N);
    CHECK(pow(Expr(1), i) == Expr(1));
    CHECK(pow(Expr(2), Expr::floating(0.5)).floatValue() == std::sqrt(2.0));
}

TEST_CASE("large products stay factored, and equal", "[expr]") {
    Expr a = 0, b = 0;
    for (int k = 0; k < 10; ++k) {
        a = a + Expr::symbol("a" + std::to_string(k));
        b = b + Expr::symbol("b" + std::to_string(k));
    }
    Expr product = a * b;
    CHECK(product.kind() == SymbolicKind::Mul);
    CHECK(product == b * a);
    CHECK(product / a == b);
    CHECK(product - product == Expr(0));
    CHECK((2 * a) * b == 2 * product);
    CHECK((-1 * a) * (-1 * b) == product);
    CHECK(pow(a, 5) / pow(a, 4) == a);
    CHECK(a * 3 == 3 * a);
    CHECK((a * 3).kind() == SymbolicKind::Add);
    CHECK(P(printDace(product, {})) == product);
}

TEST_CASE("sums of many terms take linear time", "[expr]") {
    std::string text = "0", product = "1";
    for (int k = 0; k < 20000; ++k) {
        text += " + x" + std::to_string(k % 10000);
        product += "*x" + std::to_string(k % 10000);
    }
    Expr e = P(text);
    REQUIRE(e.kind() == SymbolicKind::Add);
    CHECK(e.operands().size() == 10000);
    CHECK(e - e == Expr(0));
    CHECK(P(product) == pow(P(product) / P(product), 1) * P(product));
    CHECK(P(product).operands().size() == 10000);
}

TEST_CASE("floats stay floats", "[expr]") {
    Expr half = Expr::floating(0.5);
    CHECK((half * N).operands()[0] == half);
    CHECK(half * N + half * N == Expr::floating(1.0) * N);
    CHECK_FALSE(Expr::floating(1.0) * N == N);
    CHECK(half + 1 == Expr::floating(1.5));
    CHECK(half * 0 == Expr(0));
    CHECK(Expr::complex(0, 1) * Expr::complex(0, 1) == Expr::floating(-1));
    CHECK(Expr::floating(-0.0) == Expr::floating(-0.0));
    CHECK_FALSE(Expr::floating(-0.0) == Expr::floating(0.0));
}

TEST_CASE("infinities", "[expr]") {
    Expr oo = Expr::infinity();
    CHECK(oo + 1 == oo);
    CHECK(-oo == Expr::infinity(true));
    CHECK(oo * 2 == oo);
    CHECK(oo - oo == Expr::nan());
    CHECK(isLess(N, oo) == Truth::True);
    CHECK(isLess(oo, N) == Truth::False);
    CHECK(isEqual(N, oo) == Truth::False);
    CHECK(min({oo, N}) == N);
    CHECK(max({oo, N}) == oo);
}

TEST_CASE("undefined values swallow arithmetic", "[expr]") {
    Expr u = Expr::undefined();
    CHECK(u + 1 == u);
    CHECK(u - u == u);
    CHECK(u * 0 == u);
    CHECK(pow(u, 0) == u);
    CHECK(floorDiv(N, u) == u);
    CHECK(min({u, Expr(1)}) == u);
    CHECK(mod(u, 4) == u);
    CHECK(abs(u) == u);
    CHECK(compare(SymbolicKind::Lt, u, 1) == u);
    CHECK(call("f", {u}).isUndefined());
    CHECK(call("f", {u}).kind() == SymbolicKind::Call);
    CHECK_FALSE(u.overflowed());
    CHECK_FALSE(N.isUndefined());
}

TEST_CASE("numbers beyond 64 bits are marked", "[expr]") {
    CHECK((Expr(greatest) + 1).overflowed());
    CHECK((Expr(least) * N * -1).overflowed());
    CHECK((Expr(greatest) * (N + 1) * 2).overflowed());
    CHECK(pow(Expr(10), 19).overflowed());
    CHECK((pow(Expr(10), 19) - pow(Expr(10), 19)).overflowed());
    CHECK(call("f", {pow(Expr(10), 19)}).overflowed());
    CHECK((N / greatest / 3).overflowed());
    CHECK(pow(N, greatest) * N == overApproximation(pow(N, greatest) * N));
    CHECK((pow(N, greatest) * N).overflowed());
    CHECK_FALSE((Expr(greatest) * N).overflowed());
    CHECK((Expr(least) + 0).asInt() == least);
    CHECK(floorDiv(Expr(least), -1).overflowed());
    CHECK(abs(Expr(least)).overflowed());
    CHECK(mod(Expr(least), -1) == Expr(0));
    CHECK(floorDiv(Expr(least) * N, 2) == Expr(least / 2) * N);
}

TEST_CASE("deep expressions are refused, not recursed into", "[expr]") {
    Expr e = N;
    for (int k = 0; k < 100000 && !e.overflowed(); ++k)
        e = call("f", {e});
    CHECK(e.overflowed());
}

TEST_CASE("free symbols", "[expr]") {
    Expr e = N * M + subscript("A", {i}) + attr(Expr::symbol("s"), "x") + call("f", {N}) + subscript("t.y", {Expr(0)});
    std::vector<Name> names = e.freeSymbols();
    CHECK(names == std::vector<Name>{"A", "M", "N", "i", "s", "t"});
    CHECK(e.dependsOn("i"));
    CHECK_FALSE(e.dependsOn("f"));
    CHECK_FALSE(e.dependsOn("x"));
    CHECK(Expr(3).freeSymbols().empty());
}

TEST_CASE("the order depends on text only", "[expr]") {
    // Interned in an order that differs from that of the text.
    Expr z = Expr::symbol("zz_order"), a = Expr::symbol("aa_order");
    CHECK((z + a).str() == "aa_order + zz_order");
    CHECK((z * a).str() == "aa_order*zz_order");
    CHECK(Expr::compare(a, z) < 0);
    CHECK(Expr::compare(z, a) > 0);
    CHECK(Expr::compare(z, z) == 0);
    std::vector<Expr> es = {N,
                            M + 1,
                            Expr(3),
                            Expr::rational(1, 2),
                            call("f", {N}),
                            pow(N, 2),
                            Expr::floating(1),
                            min({N, M}),
                            cast(Type(ScalarKind::Int8), N + M)};
    for (Expr x : es)
        for (Expr y : es) {
            CHECK(Expr::compare(x, y) == -Expr::compare(y, x));
            CHECK((Expr::compare(x, y) == 0) == (x == y));
        }
    std::sort(es.begin(), es.end(), [](Expr x, Expr y) { return Expr::compare(x, y) < 0; });
    CHECK(es.front() == Expr(3));
}
