#include "Symbolic/Helpers.h"

#include <limits>
#include <numbers>

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {

const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");

struct Failure {
    std::string error;
    std::size_t offset;
};

Failure failure(const std::string &text) {
    INFO(text);
    ParseResult r = parse(text);
    REQUIRE_FALSE(r.expr);
    REQUIRE_FALSE(r.error.empty());
    return {r.error, r.offset};
}

std::string repeated(const std::string &text, int n) {
    std::string all;
    for (int k = 0; k < n; ++k)
        all += text;
    return all;
}

} // namespace

TEST_CASE("new and old symbol names are one grammar", "[parse]") {
    CHECK(P("$N") == N);
    CHECK(P("N") == N);
    CHECK(P("-1 + $N") == P("N - 1"));
    CHECK(P("symbol($N, dtype=dace.int64)") == N);
    CHECK(P("_x1") == Expr::symbol("_x1"));
    CHECK(P(" \t$N\n") == N);
}

TEST_CASE("facts of symbols are collected", "[parse]") {
    Assumptions facts;
    REQUIRE(parse("symbol($N, dtype=dace.int64, nonnegative=True, positive=True) + symbol($M, nonzero=True, finite=True, "
                  "negative=False) + $K",
                  &facts)
                .expr);
    REQUIRE(facts.size() == 2);
    CHECK(facts["N"].type == Type(ScalarKind::Int64));
    CHECK(facts["N"].nonnegative);
    CHECK(facts["N"].positive);
    CHECK_FALSE(facts["N"].nonzero);
    CHECK(facts["M"].type.isVoid());
    CHECK(facts["M"].nonzero);
    CHECK(facts["M"].other == std::vector<std::pair<std::string, std::string>>{{"finite", "True"}, {"negative", "False"}});
    // A second occurrence does not add anything again.
    REQUIRE(parse("symbol($M, finite=True)*symbol($M, dtype=dace.vector(dace.float32, 4))", &facts).expr);
    CHECK(facts["M"].other.size() == 3);
    CHECK(facts["M"].other[2].second == "dace.vector(dace.float32, 4)");
    // Another value of a keyword is ignored.
    REQUIRE(parse("symbol($M, finite=False, dtype=dace.vector(dace.float64, 4))", &facts).expr);
    CHECK(facts["M"].other.size() == 3);
    CHECK(facts["M"].other[2].second == "dace.vector(dace.float32, 4)");
}

TEST_CASE("precedence as in Python", "[parse]") {
    CHECK(P("1 + 2*3") == Expr(7));
    CHECK(P("-2**2") == Expr(-4));
    CHECK(P("2**-1") == Expr::rational(1, 2));
    CHECK(P("2**3**2") == Expr(512));
    CHECK(P("-7 // 2") == Expr(-4));
    CHECK(P("-7 % 3") == Expr(2));
    CHECK(P("7 // 2 * 2") == Expr(6));
    CHECK(P("8 / 4 / 2") == Expr(1));
    CHECK(P("1/2*$M*$N") == M * N / 2);
    CHECK(P("$M*1/$N") == M / N);
    CHECK(P("1 << 2 + 1") == Expr(8));
    CHECK(P("7 & 3 == 3") == Expr::boolean(true)); // & binds closer than ==
    CHECK(P("1 | 6 & 2 ^ 5") == Expr(7));
    CHECK(P("~1 + 1") == Expr(-1));
    CHECK(P("+N - -M") == N + M);
    CHECK(P("not 1 < 2 or 2 < 3 and 3 < 2") == Expr::boolean(false));
    CHECK(P("N if M > 0 else 2 if M < 0 else 1") ==
          select(compare(SymbolicKind::Gt, M, 0), N, select(compare(SymbolicKind::Lt, M, 0), 2, 1)));
    CHECK(P("0 < N < M") == logicalAnd({compare(SymbolicKind::Lt, 0, N), compare(SymbolicKind::Lt, N, M)}));
    CHECK(P("N is None") == compare(SymbolicKind::Is, N, Expr::none()));
    CHECK(P("N is not None") == compare(SymbolicKind::IsNot, N, Expr::none()));
    CHECK(P("N != M") == compare(SymbolicKind::Ne, N, M));
    CHECK(P("N >= M") == compare(SymbolicKind::Ge, N, M));
    CHECK(P("N >> 2") == floorDiv(N, 4));
}

TEST_CASE("literals", "[parse]") {
    CHECK(P("9223372036854775807") == Expr(std::numeric_limits<int64_t>::max()));
    CHECK(P("-9223372036854775808") == Expr(std::numeric_limits<int64_t>::min()));
    CHECK(P("9223372036854775808").overflowed());
    CHECK(P("-9223372036854775808**2").overflowed());
    CHECK(P("123456789012345678901234567890*0").overflowed());
    CHECK(P("2.5") == Expr::floating(2.5));
    CHECK(P(".5") == Expr::floating(0.5));
    CHECK(P("5.") == Expr::floating(5));
    CHECK(P("1e-05") == Expr::floating(1e-5));
    CHECK(P("1E5") == Expr::floating(1e5));
    CHECK(P("1e999") == Expr::infinity());
    CHECK(P("7i64") == Expr(7));
    CHECK(P("-7i8") == Expr(-7));
    CHECK(P("300u8").kind() == SymbolicKind::Cast);
    CHECK(P("7f64") == Expr::floating(7));
    CHECK(P("1.5f32") == cast(Type(ScalarKind::Float32), Expr::floating(1.5)));
    CHECK(P("1e-05f32") == cast(Type(ScalarKind::Float32), Expr::floating(1e-5)));
    CHECK(P("7e4m3fn") == cast(Type(ScalarKind::Float8E4M3FN), Expr(7)));
    CHECK(P("1.5e5m2") == cast(Type(ScalarKind::Float8E5M2), Expr::floating(1.5)));
    CHECK(P("1bf16").type() == Type(ScalarKind::BFloat16));
    CHECK(P("(1.0 + 2.0j)c128") == Expr::complex(1, 2));
    CHECK(P("(1.0 - 0.0j)c128") == Expr::complex(1, -0.0));
    CHECK(P("(-2.0j)c128") == Expr::complex(0, -2));
    CHECK(P("(1.0 + 2.0j)c64") == cast(Type(ScalarKind::Complex64), Expr::complex(1, 2)));
    CHECK(P("2*(1.0 + 2.0j)c128 + 1") == Expr::complex(3, 4));
    CHECK(P("2j") == Expr::complex(0, 2));
    CHECK(P("complex(1, -2.5)") == Expr::complex(1, -2.5));
}

TEST_CASE("constants", "[parse]") {
    CHECK(P("True") == Expr::boolean(true));
    CHECK(P("None") == Expr::none());
    CHECK(P("NoneSymbol") == Expr::none());
    CHECK(P("-oo") == Expr::infinity(true));
    CHECK(P("nan") == Expr::nan());
    CHECK(P("?") == Expr::undefined());
    CHECK(P("$?") == Expr::undefined());
    CHECK(P("$oo") == Expr::symbol("oo"));
    // `I`, `E` and `pi` are constants only in new strings; old programs use them as names of sizes.
    CHECK(P("I + E") == Expr::symbol("I") + Expr::symbol("E"));
    CHECK(P("$N*I") == N * Expr::complex(0, 1));
    CHECK(P("$N*pi") == N * Expr::floating(std::numbers::pi));
    CHECK(P("$I*$E") == Expr::symbol("I") * Expr::symbol("E"));
}

TEST_CASE("functions, casts, members and elements", "[parse]") {
    Expr s = Expr::symbol("s");
    CHECK(P("ceiling(N/32)") == ceil(N / 32));
    CHECK(P("int_floor($N, 2)") == floorDiv(N, 2));
    CHECK(P("AND(N < 3, M < 3)") == P("N < 3 and M < 3"));
    CHECK(P("(N < 3) & (M < 3)") == P("N < 3 and M < 3"));
    CHECK(P("(N < 3) | (M < 3)") == P("N < 3 or M < 3"));
    CHECK(P("~(N < 3)") == P("not N < 3"));
    CHECK(P("N & M") == bitwise(SymbolicKind::BitAnd, N, M));
    CHECK(P("dace.float32($N + 1)").type() == Type(ScalarKind::Float32));
    CHECK(P("int64_t($N + 1)").type() == Type(ScalarKind::Int64));
    CHECK(P("$s.x.y") == attr(attr(s, "x"), "y"));
    CHECK(P("s.x") == attr(s, "x"));
    CHECK(P("Attr($s, $x)") == attr(s, "x"));
    CHECK(P("A[i, N + 1]") == subscript("A", {i, N + 1}));
    CHECK(P("$s.x[0]") == subscript("s.x", {Expr(0)}));
    CHECK(P("$A[0].x") == attr(subscript("A", {Expr(0)}), "x"));
    CHECK(P("Subscript($A, $i)") == subscript("A", {i}));
    CHECK(P("SymExpr(Min(N, 4), 4)") == approx(min({N, Expr(4)}), 4));
    CHECK(P("f()") == call("f", {}));
    CHECK(P("math.sqrt(N)") == call("math.sqrt", {N}));
    CHECK(P("Piecewise((N, M > 0), (1, M < 0), (2, True))") ==
          select(compare(SymbolicKind::Gt, M, 0), N, select(compare(SymbolicKind::Lt, M, 0), 1, 2)));
    CHECK(P("Piecewise((N, M > 0))").isUndefined());
}

TEST_CASE("containers make subscripts of calls", "[parse]") {
    auto isContainer = [](Name n) { return n == Name("A") || n == Name("s.x") || n == Name("int_ceil"); };
    CHECK(*parse("int_ceil(N, 2)", nullptr, isContainer).expr == ceilDiv(N, 2));
    CHECK(*parse("int_ceil(N) + int_ceil[N, 2]", nullptr, isContainer).expr ==
          subscript("int_ceil", {N}) + subscript("int_ceil", {N, Expr(2)}));
    CHECK(*parse("A(i, 0) + B(i)", nullptr, isContainer).expr == subscript("A", {i, Expr(0)}) + call("B", {i}));
    CHECK(*parse("s.x(i)", nullptr, isContainer).expr == subscript("s.x", {i}));
}

TEST_CASE("errors say what and where", "[parse]") {
    CHECK(failure("").offset == 0);
    CHECK(failure("N +").offset == 3);
    CHECK(failure("N N").offset == 2);
    CHECK(failure("(N").error == "`)` is missing here");
    CHECK(failure("\xc3\xa4 + 1").offset == 0); // names are ASCII
    CHECK(failure("N)").offset == 1);
    CHECK(failure("f(N,").offset == 4);
    CHECK(failure("f(N M)").offset == 4);
    CHECK(failure("A[]").offset == 2);
    CHECK(failure("(N + 1)[0]").error == "only elements of containers can be read");
    CHECK(failure("$").offset == 0);
    CHECK(failure("$1").offset == 0);
    CHECK(failure("N @ M").offset == 2);
    CHECK(failure("N = M").offset == 2);
    CHECK(failure("1x").offset == 0);
    CHECK(failure("N if M").error == "`else` is missing here");
    CHECK(failure("if N").offset == 0);
    CHECK(failure("N.").offset == 2);
    CHECK(failure("symbol(1)").offset == 7);
    CHECK(failure("symbol($N, positive)").offset == 19);
    CHECK(failure("symbol($N, positive=)").offset == 20);
    CHECK(failure("$N + $not - 1").error == "a symbol cannot be called `not`");
    CHECK(failure("$N + $not - 1").offset == 5);
    CHECK(failure("symbol($True)").error == "a symbol cannot be called `True`");
    CHECK(failure("2 * True.x").error == "a truth value has no members");
    CHECK(failure("symbol($N, positive=(1").error == "a value is missing here");
    CHECK(failure("Piecewise(N)").offset == 10);
    CHECK(failure("0:N").offset == 1);
    CHECK(failure("a, b").offset == 1);
    CHECK(failure(std::string("N\0M", 3)).offset == 1);
}

TEST_CASE("hostile texts are refused or read without recursion", "[parse]") {
    for (const char *open : {"(", "f(", "A[", "-", "~", "not ", "2**", "x if ", "x if 1 else ", "Min(1, ", "Piecewise(("}) {
        INFO(open);
        CHECK_FALSE(failure(repeated(open, 100000)).error.empty());
    }
    CHECK(failure(repeated("(", 500) + "1" + repeated(")", 500)).error == "nested too deeply");
    CHECK(P(repeated("(", 100) + "N" + repeated(")", 100)) == N);
    CHECK(P(repeated("1 + ", 100000) + "N") == N + 100000);
    CHECK(P(repeated("1 - ", 100000) + "N") == -N - 99998);
    CHECK(P(repeated("N*", 99999) + "N") == pow(N, 100000));
    CHECK(P(repeated("N // ", 100000) + "1").overflowed()); // nested beyond the depth of expressions
    CHECK(P(repeated("N and ", 100000) + "N") == compare(SymbolicKind::Ne, N, 0));
    CHECK(P(repeated("N < ", 1000) + "M").kind() == SymbolicKind::Bool);
    CHECK(P(repeated("(N + M)*", 1000) + "1") == pow(N + M, 1000));
    CHECK(P("s" + repeated(".x", 100000)).overflowed());
    CHECK(P("2**2**2**2**2**2").overflowed());
    CHECK(P("(N + 1)**1000000000000").kind() == SymbolicKind::Pow);
    CHECK(P("N % 0").isUndefined());
    CHECK(P("0**-1").isUndefined());
    CHECK(P("1 << 4611686018427387904").overflowed());
}

TEST_CASE("what takes too long to multiply out is refused, and nothing is multiplied out after an error", "[parse]") {
    // Expanded products contain products that are expanded in turn; the sums must stay short.
    const std::string text = "N*(M+1)*(N+1)*(M-1)**(M)*(N-1.*(N+1)*(M-1)*(N+1*(M-1)*(N+1)*(M-1.*(N+1)*(M-1)*(M*(M-1)*(N+"
                             "1)*(N+1)*(M-1.*(N+1)*(N+1)*(M-1)*(N+1)*(MN+1*M-1)*(M-1.*(N+1)*(M-1)*(N+1)*(M+1)*(M-1.)*(M-1)))))))";
    CHECK(parse(text).error == "expanding it takes too long: it has deeply nested sums and products");
    CHECK(parse(text.substr(0, text.find_last_not_of(')') + 1)).error == "`)` is missing here");
}

TEST_CASE("what would be huge when written out is refused", "[parse]") {
    std::string text = "x";
    std::size_t longest = 0;
    for (int k = 0; k < 20; ++k) { // expanded, 31 times as long each time
        text = "(" + text + "/r + y" + std::to_string(k) + ")**30";
        const ParseResult read = parse(text);
        if (!read.expr) {
            CHECK(read.error == "after expansion it has more than 100000 numbers, symbols and operators");
            continue;
        }
        longest = std::max(longest, read.expr->str().size());
        CHECK(*parse(read.expr->str()).expr == *read.expr);
    }
    CHECK(longest > 10000);
    CHECK(longest < 1000000);
}
