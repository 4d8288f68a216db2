// Module prefixes, casts, operator functions, constants.
#include "Tasklet/Fixture.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {
std::string res(const std::string &text) { return print(*resolved(text)); }
} // namespace

TEST_CASE("casts by type names", "[tasklet][resolve]") {
    CHECK(res("dace.float64(i)") == "dace.float64(i)");
    CHECK(resolved("dace.float64(i)")->kind == ExprKind::Cast);
    CHECK(res("np.int64(x)") == "dace.int64(x)");
    CHECK(res("float(x)") == "dace.float32(x)");
    CHECK(res("int(x)") == "dace.int32(x)");
    CHECK(res("bool(i)") == "dace.bool(i)");
    CHECK(res("double(i)") == "dace.float64(i)");
    CHECK(res("int64_t(i)") == "dace.int64(i)");
    CHECK(res("dace.float(x)") == "dace.float64(x)");
    CHECK(res("dace.int(x)") == "dace.int64(x)");
    CHECK(res("numpy.bool_(x)") == "dace.bool(x)");
    CHECK(res("builtins.float(x)") == "dace.float32(x)");
    CHECK(res("dace.complex128(x, y)") == "dace.complex128(x, y)");
    CHECK(resolved("dace.complex128(x, y)")->args.size() == 2);
    CHECK(res("float()") == "dace.float32(0)");
    CHECK(res("decltype(f)(x)") == "dace.float32(x)");
    CHECK(res("decltype(p)(i)") == "dace.float64(i)");
    CHECK(res("decltype(unknown)(i)") == "decltype(unknown)(i)");
}

TEST_CASE("module prefixes of functions", "[tasklet][resolve]") {
    CHECK(res("math.sqrt(x)") == "sqrt(x)");
    CHECK(res("dace.math.asin(x)") == "asin(x)");
    CHECK(res("np.exp(x)") == "exp(x)");
    CHECK(res("numpy.maximum(x, y)") == "max(x, y)");
    CHECK(res("cmath.exp(z)") == "exp(z)");
    CHECK(res("builtins.max(x, y)") == "max(x, y)");
    CHECK(res("np.arctan2(x, y)") == "atan2(x, y)");
    CHECK(res("Abs(Min(x, Max(y, 1)))") == "abs(min(x, max(y, 1)))");
    CHECK(res("Modulo(i, j) + Mod(i, j)") == "py_mod(i, j) + cpp_mod(i, j)");
    CHECK(res("math.remainder(x, y)") == "remainder(x, y)");
    CHECK(res("np.remainder(x, y)") == "py_mod(x, y)");
    CHECK(res("math.gamma(x)") == "tgamma(x)");
    CHECK(res("dace.own(x)") == "dace::own(x)");
    CHECK(res("dace.math.own(x)") == "dace::math::own(x)");
    CHECK(res("np.own(x)") == "np.own(x)");
    CHECK(res("own(x)") == "own(x)");
}

TEST_CASE("operators in disguise", "[tasklet][resolve]") {
    CHECK(res("And(b, c)") == "b and c");
    CHECK(res("Or(b, c, b)") == "b or c or b");
    CHECK(res("AND(b, c)") == "b and c");
    CHECK(res("Eq(i, j)") == "i == j");
    CHECK(res("Lt(i, j, l)") == "i < j < l");
    CHECK(res("NotEq(i, j)") == "i != j");
    CHECK(res("Is(b, c)") == "b is c");
    CHECK(res("IsNot(b, c)") == "b is not c");
    CHECK(res("Not(b)") == "not b");
    CHECK(res("IfExpr(b, x, y)") == "x if b else y");
    CHECK(res("int_floor(i, 2)") == "int_floor(i, 2)"); // depends on the types
    CHECK(res("bitwise_and(i, j)") == "i & j");
    CHECK(res("bitwise_set(i, 3)") == "i | 1 << 3");
    CHECK(res("bitwise_clear(i, 3)") == "i & ~(1 << 3)");
    CHECK(res("bitwise_shift(i ^ 87, 1)") == "(i ^ 87) << 1");
    CHECK(res("bitwise_extract(i, 0, 29)") == "i >> 0 & (1 << 29) - 1");
    CHECK(res("bitwise_shift(i, j)") == "bitwise_shift(i, j)"); // j may be negative
    CHECK(res("bitwise_test(i, 31) == 1") == "i >> 31 & 1 == 1");
    CHECK(res("np.power(x, 2)") == "x ** 2");
    CHECK(res("power(x, 2)") == "power(x, 2)");
}

TEST_CASE("methods of complex numbers", "[tasklet][resolve]") {
    CHECK(res("z.real() + z.imag()") == "z.real + z.imag");
    CHECK(res("z.conj()") == "conj(z)");
    CHECK(res("(z * 2).conjugate()") == "conj(z * 2)");
    CHECK(res("np.real(z)") == "real(z)");
    CHECK(res("z.norm()") == "z.norm()");
}

TEST_CASE("constants and literals", "[tasklet][resolve]") {
    CHECK(res("math.pi") == "3.141592653589793");
    CHECK(res("dace.math.pi") == "3.141592653589793");
    CHECK(res("np.e") == "2.718281828459045");
    CHECK(res("- (- 3)") == "3");
    CHECK(res("+2.5") == "2.5");
    CHECK(res("not True") == "False");
    CHECK(resolved("inf")->kind == ExprKind::Float);
    CHECK(resolved("inf")->type == Type(ScalarKind::Float32));
    CHECK(resolved("math.inf")->type == Type(ScalarKind::Float64));
    CHECK(res("r.first") == "r.first");
}

TEST_CASE("struct initialisers and callbacks", "[tasklet][resolve]") {
    CHECK(resolved("S(second=1, first=x)")->type == *typeOf("S"));
    CHECK(res("__DACESTRUCT_S(second=1)") == "S(second=1)");
    Env e = env();
    e.isCallback = [](Name n) { return n == Name("float"); };
    CHECK(print(*resolveModules(parsed("float(x)"), e)) == "float(x)");
}

TEST_CASE("blocks: annotations get types, memlet statements go", "[tasklet][resolve]") {
    const auto block =
        resolveModules(*parseBlock("a << A(1)[i]\nm: dace.float32 = 1\nif b:\n  o: double\nd: Thing\na >> B").value, env());
    REQUIRE(block.size() == 3);
    CHECK(block[0]->type == Type(ScalarKind::Float32));
    CHECK(block[1]->body[0]->type == Type(ScalarKind::Float64));
    CHECK(block[2]->type == Type::opaque("Thing"));
}
