#include "Symbolic/Helpers.h"

#include <limits>

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");
const Expr yes = Expr::boolean(true), no = Expr::boolean(false);
const Expr element = subscript("A", {i}); // may be a float
Expr lt(Expr a, Expr b) { return compare(SymbolicKind::Lt, a, b); }
} // namespace

TEST_CASE("comparisons fold what is decided", "[logic]") {
    CHECK(lt(1, 2) == yes);
    CHECK(lt(N, N + 1) == yes);
    CHECK(lt(N, N) == no);
    CHECK(compare(SymbolicKind::Le, N, N) == yes);
    CHECK(compare(SymbolicKind::Ge, N - 1, N) == no);
    CHECK(compare(SymbolicKind::Gt, N + 1, N) == yes);
    CHECK(compare(SymbolicKind::Eq, N, N) == yes);
    CHECK(compare(SymbolicKind::Ne, N, N + 1) == yes);
    CHECK(compare(SymbolicKind::Eq, 2 * N, 2 * M + 1) == no);
    CHECK(lt(mod(N, 4), 4) == yes);
    CHECK(compare(SymbolicKind::Ge, abs(N), 0) == yes);
    CHECK(lt(N, M).kind() == SymbolicKind::Lt);
    CHECK(lt(Expr::rational(4, 3), Expr::rational(5, 2)) == yes);
    CHECK(lt(Expr::floating(0.5), 1) == yes);
    CHECK(compare(SymbolicKind::Eq, Expr::complex(1, 2), Expr::complex(1, 2)) == yes);
    CHECK(compare(SymbolicKind::Ne, Expr::complex(1, 2), Expr::complex(1, 3)) == yes);
    CHECK(compare(SymbolicKind::Eq, Expr::nan(), Expr::nan()) == no);
    CHECK(compare(SymbolicKind::Ne, Expr::nan(), Expr::nan()) == yes);
}

TEST_CASE("comparisons are of truncated quotients", "[logic]") {
    CHECK(lt(Expr::rational(1, 3), Expr::rational(1, 2)) == no);
    CHECK(lt(4, Expr(15) / 4 + 1) == no);
    CHECK(lt(3, Expr(15) / 4 + 1) == yes);
    CHECK(compare(SymbolicKind::Eq, -1, Expr::rational(-3, 2)) == yes);
    CHECK(lt(Expr::rational(5, 2), Expr::floating(2.25)) == yes);
    CHECK(lt(N / 2, (N + 1) / 2).kind() == SymbolicKind::Lt);
    CHECK(compare(SymbolicKind::Ne, N / 2, (N + 1) / 2).kind() == SymbolicKind::Ne);
    CHECK(compare(SymbolicKind::Eq, N / 2, N / 2) == yes);
    CHECK(logicalAnd({Expr::rational(1, 2), lt(N, M)}) == no);
}

TEST_CASE("equality is symmetric and knows truth values", "[logic]") {
    CHECK(compare(SymbolicKind::Eq, 0, N) == compare(SymbolicKind::Eq, N, 0));
    CHECK(compare(SymbolicKind::Eq, M, N) == compare(SymbolicKind::Eq, N, M));
    CHECK(compare(SymbolicKind::Eq, lt(N, M), yes) == lt(N, M));
    CHECK(compare(SymbolicKind::Eq, lt(N, M), no) == compare(SymbolicKind::Ge, N, M));
    CHECK(compare(SymbolicKind::Ne, yes, lt(N, M)) == compare(SymbolicKind::Ge, N, M));
}

TEST_CASE("identity with None", "[logic]") {
    CHECK(compare(SymbolicKind::Is, Expr::none(), Expr::none()) == yes);
    CHECK(compare(SymbolicKind::IsNot, Expr(3), Expr::none()) == yes);
    CHECK(compare(SymbolicKind::Is, N, Expr::none()).kind() == SymbolicKind::Is);
    CHECK(logicalNot(compare(SymbolicKind::Is, N, Expr::none())) == compare(SymbolicKind::IsNot, N, Expr::none()));
}

TEST_CASE("and, or, not", "[logic]") {
    Expr a = lt(N, M), b = lt(i, N);
    CHECK(logicalAnd({}) == yes);
    CHECK(logicalOr({}) == no);
    CHECK(logicalAnd({a}) == a);
    CHECK(logicalAnd({a, yes, a}) == a);
    CHECK(logicalAnd({a, no, b}) == no);
    CHECK(logicalOr({a, yes}) == yes);
    CHECK(logicalOr({a, logicalOr({b, a})}) == logicalOr({a, b}));
    CHECK(logicalAnd({a, Expr(1)}) == a);
    CHECK(logicalAnd({a, Expr(0)}) == no);
    CHECK_FALSE(logicalAnd({a, b}) == logicalAnd({b, a})); // an operand guards the following ones
    CHECK(logicalAnd({call("p", {}), logicalNot(call("p", {}))}) == no);
    CHECK(logicalOr({call("p", {}), logicalNot(call("p", {}))}) == yes);
    CHECK(logicalAnd({N, Expr(3)}) == compare(SymbolicKind::Ne, N, Expr(0))); // a truth value, as with two operands
    CHECK(logicalAnd({logicalAnd({N, N}), N}) == compare(SymbolicKind::Ne, N, Expr(0)));
    CHECK(logicalOr({N, logicalNot(N)}) == yes);
    CHECK(logicalOr({N, N}) == compare(SymbolicKind::Ne, N, Expr(0)));
    CHECK(logicalNot(yes) == no);
    CHECK(logicalNot(Expr(0)) == yes);
    CHECK(logicalNot(Expr::none()) == yes);
    CHECK(logicalNot(a) == compare(SymbolicKind::Ge, N, M));
    CHECK(logicalNot(logicalNot(logicalAnd({a, b}))) == logicalAnd({a, b}));
    CHECK(logicalNot(compare(SymbolicKind::Eq, N, M)) == compare(SymbolicKind::Ne, N, M));
    // `not` applied to a comparison that is false because of a NaN is true, but the opposite comparison is false.
    CHECK(logicalNot(lt(element, 0)).kind() == SymbolicKind::Not);
    CHECK(logicalNot(compare(SymbolicKind::Eq, element, 0)) == compare(SymbolicKind::Ne, element, 0));
}

TEST_CASE("selection", "[logic]") {
    Expr c = lt(N, M);
    CHECK(select(yes, N, M) == N);
    CHECK(select(Expr(0), N, M) == M);
    CHECK(select(c, N, N) == N);
    CHECK(select(c, N, M).kind() == SymbolicKind::Select);
    CHECK(select(Expr::undefined(), N, M).isUndefined());
    CHECK(select(c, N, Expr::undefined()).kind() == SymbolicKind::Select);
}

TEST_CASE("bit operations", "[logic]") {
    auto op = [](SymbolicKind k, Expr a, Expr b) { return bitwise(k, a, b); };
    CHECK(op(SymbolicKind::BitAnd, 12, 10) == Expr(8));
    CHECK(op(SymbolicKind::BitOr, 12, 10) == Expr(14));
    CHECK(op(SymbolicKind::BitXor, 12, 10) == Expr(6));
    CHECK(op(SymbolicKind::BitAnd, N, 0) == Expr(0));
    CHECK(op(SymbolicKind::BitOr, 0, N) == N);
    CHECK(op(SymbolicKind::BitAnd, N, -1) == N);
    CHECK(op(SymbolicKind::BitOr, N, -1) == Expr(-1));
    CHECK(op(SymbolicKind::BitXor, N, N) == Expr(0));
    CHECK(op(SymbolicKind::BitAnd, N, N) == N);
    CHECK(op(SymbolicKind::BitXor, N, -1).kind() == SymbolicKind::BitXor);
    CHECK(op(SymbolicKind::BitAnd, 3, N) == op(SymbolicKind::BitAnd, N, 3));
    CHECK(op(SymbolicKind::Shl, N, 3) == 8 * N);
    CHECK(op(SymbolicKind::Shr, N, 3) == floorDiv(N, 8));
    CHECK(op(SymbolicKind::Shr, -1, 1) == Expr(-1));
    CHECK(op(SymbolicKind::Shr, element, 3).kind() == SymbolicKind::Shr);
    CHECK(op(SymbolicKind::Shl, N, -1).isUndefined());
    CHECK(op(SymbolicKind::Shl, 1, 63).overflowed());
    CHECK(op(SymbolicKind::Shl, 3, 62).overflowed());
    CHECK(op(SymbolicKind::Shl, N, M).kind() == SymbolicKind::Shl);
    CHECK(op(SymbolicKind::Shl, 0, M) == Expr(0));
    CHECK(bitNot(5) == Expr(-6));
    CHECK(bitNot(bitNot(N)) == N);
    CHECK(bitNot(lt(N, M)) == logicalNot(lt(N, M)));
}

TEST_CASE("minimum and maximum", "[logic]") {
    CHECK(min({N}) == N);
    CHECK(min({Expr(3), Expr(1), Expr(2)}) == Expr(1));
    CHECK(max({Expr::rational(1, 2), Expr::rational(1, 3)}) == Expr::rational(1, 2));
    CHECK(min({N, N + 1}) == N);
    CHECK(max({N, N + 1, M}) == max({M, N + 1}));
    CHECK(min({N - 1, M - 1}) == min({M, N}) - 1);
    CHECK(min({N - 1, i + 31}) + 1 == min({N, i + 32}));
    CHECK(max({N - 1, Expr(4)}) == max({N, Expr(5)}) - 1);
    CHECK(min({N, min({M, N})}) == min({M, N}));
    CHECK(min({N, Expr(4)}) == min({Expr(4), N}));
    CHECK(min({N, Expr(4)}).str() == "min(N, 4)");
    CHECK(min({Expr::floating(2.5), Expr(3)}) == Expr::floating(2.5));
    CHECK(min({mod(N, 4), Expr(10)}) == mod(N, 4));
    CHECK(max({abs(N), Expr(-1)}) == abs(N));
    CHECK(min({N, 32 * ceilDiv(N, 32)}) == N);
    CHECK(min({N, Expr::nan()}) == Expr::nan());
    CHECK(min({}).isUndefined());
    CHECK(max({N, M}).kind() == SymbolicKind::Max);
    std::vector<Expr> many;
    for (int k = 0; k < 5000; ++k)
        many.push_back(Expr::symbol("m" + std::to_string(k % 2500)) + k);
    CHECK(max(many).operands()[0].operands().size() == 2500); // the maximum plus a constant
}

TEST_CASE("casts", "[logic]") {
    Type i8(ScalarKind::Int8), u8(ScalarKind::UInt8), f32(ScalarKind::Float32), f64(ScalarKind::Float64), b(ScalarKind::Bool);
    CHECK(cast(f32, N) == N); // DaCe only changes the type of the symbol
    CHECK(cast(f32, N + 1).kind() == SymbolicKind::Cast);
    CHECK(cast(f32, N + 1).type() == f32);
    CHECK(cast(f32, cast(f32, N + 1)) == cast(f32, N + 1));
    CHECK(cast(i8, 127) == Expr(127));
    CHECK(cast(i8, 128).kind() == SymbolicKind::Cast);
    CHECK(cast(u8, -1).kind() == SymbolicKind::Cast);
    CHECK(cast(u8, 255) == Expr(255));
    CHECK(cast(f64, 7) == Expr::floating(7));
    CHECK(cast(f64, Expr::floating(2.5)) == Expr::floating(2.5));
    CHECK(cast(f32, Expr::floating(0.1)).kind() == SymbolicKind::Cast);
    CHECK(cast(b, Expr(2)) == yes);
    CHECK(cast(b, lt(N, M)) == lt(N, M));
    CHECK(cast(Type(), N + 1) == N + 1);
    CHECK(cast(Type(ScalarKind::Complex128), Expr::complex(1, 2)) == Expr::complex(1, 2));
    CHECK(cast(Type(ScalarKind::Complex64), Expr::complex(1, 2)).kind() == SymbolicKind::Cast);
    CHECK(cast(f32, approx(N + 1, M + 1)) == approx(cast(f32, N + 1), cast(f32, M + 1)));
    CHECK(cast(Type(ScalarKind::UInt64), Expr(-1)).kind() == SymbolicKind::Cast);
    CHECK(cast(Type(ScalarKind::Int64), std::numeric_limits<int64_t>::min()).isInteger());
}

TEST_CASE("functions by name", "[logic]") {
    CHECK(call("int_floor", {N, 4}) == floorDiv(N, 4));
    CHECK(call("__int_floor", {N, 4}) == floorDiv(N, 4));
    CHECK(call("ceiling", {N / 4}) == ceil(N / 4));
    CHECK(call("Min", {N, M}) == min({N, M}));
    CHECK(call("AND", {lt(N, M), lt(i, M)}) == logicalAnd({lt(N, M), lt(i, M)}));
    CHECK(call("ITE", {lt(N, M), N, M}) == select(lt(N, M), N, M));
    CHECK(call("GtE", {N, M}) == compare(SymbolicKind::Ge, N, M));
    CHECK(call("Attr", {Expr::symbol("s"), Expr::symbol("x")}) == attr(Expr::symbol("s"), "x"));
    CHECK(call("Subscript", {Expr::symbol("A"), i, N}) == subscript("A", {i, N}));
    CHECK(call("Subscript", {attr(Expr::symbol("s"), "x"), i}) == subscript("s.x", {i}));
    CHECK(call("SymExpr", {N, N}) == N);
    CHECK(call("dace.int8", {N + 1}).type() == Type(ScalarKind::Int8));
    CHECK(call("float", {N + 1}).type() == Type(ScalarKind::Float32));
    CHECK(call("sqrt", {Expr(9)}) == Expr(3));
    CHECK(call("sqrt", {N}).kind() == SymbolicKind::Call);
    CHECK(call("sqrt", {Expr(-4)}).kind() == SymbolicKind::Call);
    CHECK(call("ROUND", {N}) == N);
    CHECK(call("ROUND", {element}) == call("round", {element}));
    CHECK(call("complex", {Expr(1), Expr(2)}) == Expr::complex(1, 2));
    CHECK(call("Mod", {N}).kind() == SymbolicKind::Call); // a different function
    CHECK(call("mine", {N}).name() == Name("mine"));
}
