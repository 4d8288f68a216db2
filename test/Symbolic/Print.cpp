#include "Symbolic/Helpers.h"

#include <limits>

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");
std::string dace(Expr e) { return printDace(e, {}); }
} // namespace

TEST_CASE("text for people", "[print]") {
    CHECK((N - 1).str() == "N - 1");
    CHECK((1 - N).str() == "1 - N");
    CHECK((M - N).str() == "M - N");
    CHECK((-N).str() == "-N");
    CHECK((-N - M).str() == "-M - N");
    CHECK((32 * N + M + 1).str() == "M + 32*N + 1");
    CHECK((M * N + M).str() == "M*N + M");
    CHECK((M * N / 2).str() == "M*N/2");
    CHECK((-M / 2).str() == "-M/2");
    CHECK((3 / N).str() == "3/N");
    CHECK((1 / (M * N)).str() == "1/(M*N)");
    CHECK((M / N / 2).str() == "M/(2*N)");
    CHECK(pow(N, -2).str() == "1/N**2");
    CHECK(pow(N + 1, -1).str() == "1/(N + 1)");
    CHECK(pow(N, i + 1).str() == "N**(i + 1)");
    CHECK(pow(Expr(2), i).str() == "2**i");
    CHECK(pow(pow(N, Expr::rational(1, 3)), Expr::rational(1, 2)).str() == "(N**(1/3))**(1/2)");
    CHECK(floorDiv(i, 2).str() == "i // 2");
    CHECK(floorDiv(i + 1, 2).str() == "(i + 1) // 2");
    CHECK((2 * floorDiv(i, 3)).str() == "2*(i // 3)");
    CHECK(mod(i, 2).str() == "i % 2");
    CHECK(ceilDiv(N, M).str() == "int_ceil(N, M)");
    CHECK(min({N, Expr(4)}).str() == "min(N, 4)");
    CHECK(max({N, M}).str() == "max(M, N)");
    CHECK(abs(N).str() == "abs(N)");
    CHECK(subscript("A", {i, N}).str() == "A[i, N]");
    CHECK(attr(Expr::symbol("s"), "x").str() == "s.x");
    CHECK(call("f", {N, M}).str() == "f(N, M)");
    CHECK(cast(Type(ScalarKind::Float32), N + 1).str() == "float32(N + 1)");
    CHECK(P("N < M and (M < i or i is None)").str() == "N < M and (M < i or i is None)");
    CHECK(P("not (N < M and M < i)").str() == "not (N < M and M < i)");
    CHECK(P("N if M > 0 else i").str() == "N if M > 0 else i");
    CHECK(P("(N if M > 0 else i) + 1").str() == "(N if M > 0 else i) + 1");
    CHECK(P("N & M | i").str() == "i | M & N");
    CHECK(P("~N").str() == "~N");
    CHECK(approx(N, M).str() == "N ~ M");
    CHECK(Expr::undefined().str() == "?");
    CHECK(Expr::floating(2).str() == "2.0");
    CHECK(Expr::floating(1e-5).str() == "1e-05");
    CHECK(Expr::infinity(true).str() == "-oo");
    CHECK((Expr::floating(-2.5) * N).str() == "-2.5*N");
}

TEST_CASE("text of files", "[print]") {
    CHECK(dace(P("N**-9223372036854775808")) == "$N**(-9223372036854775808)"); // its magnitude is not a literal: no reciprocal
    CHECK(dace(Expr::complex(0.0, -18.0) * N) == "(0.0 - 18.0j)c128*$N");
    CHECK(dace(P("9j*-2*N")) == "complex(-0.0, -18.0)*$N"); // a sum does not have such a zero
    CHECK(dace(N - 1) == "-1 + $N");
    CHECK(dace(N + 1) == "1 + $N");
    CHECK(dace(M * N / 2) == "1/2*$M*$N");
    CHECK(dace(M - N / 2) == "$M - 1/2*$N");
    CHECK(dace(M / N) == "$M*1/$N");
    CHECK(dace(-M / N) == "-$M*1/$N");
    CHECK(dace(pow(N, -2)) == "1/$N**2");
    CHECK(dace(floorDiv(N, 2)) == "int_floor($N, 2)");
    CHECK(dace(ceilDiv(N, M)) == "int_ceil($N, $M)");
    CHECK(dace(mod(N, 2)) == "Mod($N, 2)");
    CHECK(dace(min({N, Expr(4)})) == "Min($N, 4)");
    CHECK(dace(P("N < M and M < i and i < 3")) == "And(And($N < $M, $M < $i), $i < 3)");
    CHECK(dace(P("not (N < M and M < i)")) == "Not(And($N < $M, $M < $i))");
    CHECK(dace(P("N is None")) == "$N is None");
    CHECK(dace(P("N if M > 0 else i")) == "IfExpr($M > 0, $N, $i)");
    CHECK(dace(P("~N")) == "bitwise_invert($N)");
    CHECK(dace(P("N << M")) == "left_shift($N, $M)");
    CHECK(dace(subscript("s.x", {i})) == "Subscript($s.x, $i)");
    CHECK(dace(attr(Expr::symbol("s"), "x")) == "$s.x");
    CHECK(dace(approx(N, M)) == "SymExpr($N, $M)");
    CHECK(dace(cast(Type(ScalarKind::Float32), N + 1)) == "dace.float32(1 + $N)");
    CHECK(dace(Expr::undefined()) == "$?");
    CHECK(dace(Expr::none()) == "None");
    CHECK(dace(Expr::complex(1, -2)) == "(1.0 - 2.0j)c128");
}

TEST_CASE("facts print as DaCe writes them", "[print]") {
    Assumptions facts;
    facts["N"].type = Type(ScalarKind::Int64);
    facts["N"].positive = facts["N"].nonzero = facts["N"].nonnegative = true;
    facts["M"].type = Type(ScalarKind::Int32);
    facts["i"].other = {{"finite", "True"}, {"algebraic", "True"}};
    CHECK(printDace(N, facts) == "symbol($N, dtype=dace.int64, nonnegative=True, nonzero=True, positive=True)");
    CHECK(printDace(M, facts) == "$M");
    CHECK(printDace(i, facts) == "symbol($i, algebraic=True, finite=True)");
    Assumptions read;
    CHECK(*parse(printDace(N * i, facts), &read).expr == N * i);
    CHECK(read["N"].type == facts["N"].type);
    CHECK(read["N"].positive);
    CHECK(read["i"].other.size() == 2);
}

TEST_CASE("what is printed is read back", "[print]") {
    constexpr int64_t least = std::numeric_limits<int64_t>::min(), greatest = std::numeric_limits<int64_t>::max();
    std::vector<Expr> all = {
        N,
        Expr(least),
        Expr(greatest),
        Expr(least) * N + M,
        N + M * Expr(least),
        M + Expr(least),
        Expr::rational(-7, 3),
        Expr::rational(least, 3) * N + M,
        pow(Expr::rational(1, 2), i),
        pow(Expr(-2), i),
        pow(N, -M),
        pow(N + M, -3),
        pow(N + 1, 30) * pow(M - 1, 30) * -2, // each power alone would be expanded
        pow(Expr::floating(-0.5), i),
        Expr::floating(-0.0),
        Expr::floating(1e300),
        Expr::floating(5e-324),
        Expr::floating(0.1) * N - Expr::floating(2.5),
        Expr::complex(-1, -0.0),
        Expr::complex(0, 3),
        Expr::complex(1, INFINITY),
        Expr::complex(1, 2) * N,
        cast(Type(ScalarKind::Complex64), Expr::complex(1, 2)),
        cast(Type(ScalarKind::Float16), Expr::floating(1.5)),
        cast(Type(ScalarKind::Int8), 300),
        Expr::infinity(),
        Expr::infinity(true) * N,
        Expr::nan(),
        Expr::none(),
        Expr::boolean(false),
        Expr::undefined(),
        call("f", {}),
        call("a.b.c", {N}),
        call("sqrt", {N + 1}),
        attr(attr(subscript("A", {i}), "x"), "y"),
        attr(N + 1, "x"),
        subscript("A", {}),
        subscript("s.x", {i, N - 1}),
        floor(subscript("A", {i})),
        ceil(call("exp", {N})),
        compare(SymbolicKind::Eq, compare(SymbolicKind::Lt, N, M), compare(SymbolicKind::Lt, M, i)),
        logicalNot(call("p", {})),
        logicalNot(logicalNot(N)),
        logicalOr({logicalAnd({N, M}), logicalNot(i)}),
        select(compare(SymbolicKind::Is, N, Expr::none()), select(M, N, i), i),
        bitwise(SymbolicKind::Shl, bitwise(SymbolicKind::Shr, N, M), bitwise(SymbolicKind::BitOr, N, M)),
        bitNot(bitwise(SymbolicKind::BitXor, N, 3)),
        approx(min({N, M}), N),
        min({max({N, M}), i, Expr::floating(2.5)}),
        mod(N, M),
        mod(-N, M) * 3,
        ceilDiv(N, M + 1),
        abs(N - M),
    };
    for (Expr e : all) {
        INFO(dace(e));
        CHECK(P(dace(e)) == e);
        if (e.kind() != SymbolicKind::Approx && e != Expr(least) * N + M) {
            INFO(e.str());
            CHECK((e.kind() == SymbolicKind::Cast || e == subscript("A", {}) || P(e.str()) == e));
        }
    }
}
