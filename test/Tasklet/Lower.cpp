// Lowering and C++ text of expressions.
#include "Tasklet/Fixture.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

std::string dace(const std::string &text) { return cpp(text, Semantics::Dace); }

// With the assumption that i and j are nonnegative.
std::string cppNonNegative(const std::string &text) {
    const auto oracle = [](const Expr &e) { return e.kind == ExprKind::Name && (e.name == Name("i") || e.name == Name("j")); };
    return CppPrinter().expr(*lowerOperators(typed(text), Semantics::Python, oracle));
}

std::string usesOf(const std::string &text) {
    std::set<std::string> keys;
    CppPrinter printer;
    printer.uses = [&](std::string_view k) { keys.insert(std::string(k)); };
    printer.expr(*lowered(text));
    std::string out;
    for (const std::string &k : keys)
        out += (out.empty() ? "" : " ") + k;
    return out;
}

} // namespace

TEST_CASE("parentheses are minimal and keep the association", "[tasklet][cpp]") {
    CHECK(cpp("x + y + f") == "x + y + f");
    CHECK(cpp("x + (y + f)") == "x + (y + f)");
    CHECK(cpp("(x * y) + 1.0") == "x * y + 1.0");
    CHECK(cpp("x * (y + 1.0)") == "x * (y + 1.0)");
    CHECK(cpp("x - (y - f)") == "x - (y - f)");
    CHECK(cpp("x * (y / f)") == "x * (y / f)");
    CHECK(cpp("- (x + y)") == "-(x + y)");
    CHECK(cpp("- - x") == "-(-x)");
    CHECK(cpp("x - -y") == "x - -y");
    CHECK(cpp("-x * y") == "-x * y");
    CHECK(cpp("not (b and c)") == "!(b && c)");
    CHECK(cpp("b and c or b") == "(b && c) || b");
    CHECK(cpp("i & j | l ^ 1") == "(i & j) | (l ^ 1)");
    CHECK(cpp("i & j & l") == "i & j & l");
    CHECK(cpp("i << j + 1") == "i << (j + 1)");
    CHECK(cpp("(i & 1) == 0") == "(i & 1) == 0");
    CHECK(cpp("(i < j) == b") == "(i < j) == b");
    CHECK(cpp("x if b else y if c else f") == "b ? x : c ? y : f");
    CHECK(cpp("(x if b else y) + 1") == "(b ? x : y) + 1");
    CHECK(cpp("(x if b else y) if c else f") == "c ? (b ? x : y) : f");
    CHECK(cpp("~i + 1") == "~i + 1");
}

TEST_CASE("in symbolic code, quotients of integers are C's, and all else is Python's", "[tasklet][cpp]") {
    const auto symbolic = [](const std::string &text) { return cpp(text, Semantics::Symbolic); };
    CHECK(symbolic("i < (16 - 1) / 4 + 1") == "i < (16 - 1) / 4 + 1");
    CHECK(symbolic("i / j / 2.5") == "i / j / 2.5");
    CHECK(symbolic("(i + 0.0) / j") == "(i + 0.0) / j");
    CHECK(symbolic("float(i) / j") == "float(i) / j");
    CHECK(symbolic("i / u") == "i / int64_t(u)");
    CHECK(symbolic("n / 4") == "n / 4");
    CHECK(symbolic("i // j") == cpp("i // j"));
    CHECK(symbolic("i % j") == cpp("i % j"));
    CHECK(symbolic("i ** -1") == cpp("i ** -1"));
    CHECK(symbolic("i < n") == cpp("i < n"));
    CHECK(symbolic("i < j < l") == cpp("i < j < l"));
    CHECK(cppBlock("i /= j", Semantics::Symbolic) == "i /= j;\n");
}

TEST_CASE("literals", "[tasklet][cpp]") {
    CHECK(cpp("3000000000") == "3000000000LL");
    CHECK(cpp("18446744073709551615") == "18446744073709551615ULL");
    CHECK(cpp("-2147483648") == "(-2147483647 - 1)");
    CHECK(cpp("-9223372036854775808") == "(-9223372036854775807LL - 1)");
    CHECK(cpp("0.1") == "0.1");
    CHECK(cpp("1e300 * 1e-5") == "1e+300 * 1e-05");
    CHECK(cpp("2j") == "std::complex<double>(0.0, 2.0)");
    CHECK(cpp("True") == "true");
    CHECK(cpp("None") == "nullptr");
    CHECK(cpp("'a\"\\n\\x01'") == "\"a\\\"\\n\\001\"");
    CHECK(cpp("inf") == "INFINITY");
    CHECK(cpp("math.nan") == "double(NAN)");
    CHECK(cpp("1e999") == "double(INFINITY)");
    CHECK(cpp("float(0.1)") == "0.1f");
    CHECK(cpp("dace.float64(2)") == "2.0");
    CHECK(cpp("dace.float32(-3)") == "-3.0f");
    CHECK(cpp("dace.float32(16777217)") == "float(16777217)");
    CHECK(cpp("dace.int64(5)") == "int64_t(5)");
}

TEST_CASE("casts", "[tasklet][cpp]") {
    CHECK(cpp("dace.float64(i)") == "double(i)");
    CHECK(cpp("dace.float64(x)") == "x");
    CHECK(cpp("int(x)") == "int32_t(x)");
    CHECK(cpp("dace.complex64(x, y)") == "std::complex<float>(x, y)");
    CHECK(cpp("dace.float64(z)") == "std::real(z)");
    CHECK(cpp("dace.int32(z)") == "int32_t(std::real(z))");
    CHECK(cpp("bool(z)") == "z != 0.0");
    CHECK(CppPrinter().expr(*castTo(Type::pointer(ScalarKind::Float64), name("x"))) == "static_cast<double *>(x)");
    CHECK(CppPrinter().expr(*castTo(Type::opaque("unsigned int"), name("x"))) == "static_cast<unsigned int>(x)");
    const ExprRef element = *parseExpr("x[f(i)]").value; // GCC would take it for the size of a parameter
    CHECK(CppPrinter().expr(*castTo(ScalarKind::Float32, element)) == "float(x[f(i)])");
    CHECK(CppPrinter().expr(*castTo(ScalarKind::Float64, castTo(ScalarKind::Float32, element))) ==
          "double(static_cast<float>(x[f(i)]))");
}

TEST_CASE("true division", "[tasklet][lower]") {
    CHECK(cpp("i / j") == "double(i) / j");
    CHECK(cpp("i / 2") == "i / 2.0");
    CHECK(cpp("1 / i") == "1.0 / i");
    CHECK(cpp("1 / 2") == "1.0 / 2");
    CHECK(cpp("x / i") == "x / i");
    CHECK(cpp("(i + 1) / (j + 1)") == "double(i + 1) / (j + 1)");
    CHECK(dace("i / j") == "i / j");
}

TEST_CASE("floor division and modulus", "[tasklet][lower]") {
    CHECK(cpp("i // j") == "sdfgc::rt::floordiv(i, j)");
    CHECK(cpp("i % 2") == "sdfgc::rt::floormod(i, 2)");
    CHECK(cpp("x // y") == "sdfgc::rt::floordiv(x, y)");
    CHECK(cpp("x % 2") == "sdfgc::rt::floormod(x, 2.0)");
    CHECK(cpp("f % i") == "sdfgc::rt::floormod(f, float(i))");
    CHECK(cpp("u // n") == "u / n");
    CHECK(cpp("u % 4") == "u % 4");
    CHECK(cpp("7 // 2") == "7 / 2");
    CHECK(cpp("-7 // 2") == "sdfgc::rt::floordiv(-7, 2)");
    CHECK(cppNonNegative("i // j") == "i / j");
    CHECK(cppNonNegative("(i * 4 + j) % 8") == "(i * 4 + j) % 8");
    CHECK(cppNonNegative("(i - 1) % 8") == "sdfgc::rt::floormod(i - 1, 8)");
    CHECK(cppNonNegative("(i % 3 + j // 2) // 2") == "(i % 3 + j / 2) / 2");
    CHECK(cppNonNegative("min(i, j) % 2") == "sdfgc::rt::min(i, j) % 2");
    CHECK(cppNonNegative("max(l, j) % 2") == "sdfgc::rt::max(l, j) % 2");
    CHECK(cppNonNegative("min(l, j) % 2") == "sdfgc::rt::floormod(sdfgc::rt::min(l, j), 2)");
    CHECK(cppNonNegative("(l & 7) // 2") == "(l & 7) / 2");
    CHECK(cppNonNegative("(l % 8) // 2") == "sdfgc::rt::floormod(l, 8) / 2");
    CHECK(dace("i // j") == "i / j");
    CHECK(dace("i % j") == "i % j");
    CHECK(dace("x // y") == "int32_t(std::floor(x / y))");
    CHECK(dace("x % y") == "std::fmod(x, y)");
    CHECK(cpp("int_floor(i, j)") == "sdfgc::rt::floordiv(i, j)");
    CHECK(dace("int_floor(i, j)") == "i / j");
    CHECK(cpp("int_floor(x, 2)") == "x / 2"); // how DaCe writes `x * 0.5`
    CHECK(cpp("int_floor(x, i) + int_floor(z, 3)") == "x / i + z / 3.0");
    CHECK(dace("int_floor(x, 2)") == "x / 2");
    CHECK(cpp("x // 2") == "sdfgc::rt::floordiv(x, 2.0)");
    CHECK(dace("py_mod(i, j)") == "sdfgc::rt::floormod(i, j)");
    CHECK(cpp("Mod(i, j)") == "i % j");
    CHECK(cpp("Mod_float(x, y)") == "std::fmod(x, y)");
    CHECK(cpp("Modulo(i, j)") == "sdfgc::rt::floormod(i, j)");
    CHECK(cpp("unknown // 2") == "sdfgc::rt::floordiv(unknown, 2)");
}

TEST_CASE("powers", "[tasklet][lower]") {
    CHECK(cpp("x ** 0") == "1.0");
    CHECK(cpp("i ** 0") == "1");
    CHECK(cpp("x ** 1") == "x");
    CHECK(cpp("x ** 2") == "x * x");
    CHECK(cpp("p[i] ** 3") == "p[i] * p[i] * p[i]");
    CHECK(cpp("(x + 1) ** 2") == "sdfgc::rt::ipow(x + 1, 2)");
    CHECK(cpp("x ** 5") == "sdfgc::rt::ipow(x, 5)");
    CHECK(cpp("f ** 2.0") == "f * f");
    CHECK(cpp("x ** -1") == "1.0 / x");
    CHECK(cpp("f ** -2") == "1.0f / (f * f)");
    CHECK(cpp("i ** -2") == "1.0 / (double(i) * double(i))");
    CHECK(dace("i ** -2") == "1 / (i * i)");
    CHECK(cpp("x ** 0.5") == "std::sqrt(x)");
    CHECK(cpp("f ** -0.5") == "1.0f / std::sqrt(f)");
    CHECK(cpp("i ** 0.5") == "std::sqrt(double(i))");
    CHECK(cpp("x ** y") == "std::pow(x, y)");
    CHECK(cpp("2 ** x") == "std::pow(2.0, x)");
    CHECK(cpp("f ** 1.5") == "std::pow(double(f), 1.5)");
    CHECK(cpp("i ** j") == "sdfgc::rt::ipow(i, j)");
    CHECK(cpp("2 ** l") == "sdfgc::rt::ipow(int64_t(2), l)");
    CHECK(cpp("s ** 4") == "sdfgc::rt::ipow(int32_t(s), 4)");
    CHECK(cpp("z ** 2") == "z * z");
    CHECK(cpp("z ** x") == "std::pow(z, x)");
    CHECK(cpp("x ** dace.float64(2)") == "x * x");
}

TEST_CASE("comparisons", "[tasklet][lower]") {
    CHECK(cpp("i < j < l") == "i < j && j < l");
    CHECK(cpp("not i < j <= l") == "!(i < j && j <= l)");
    CHECK(cpp("p is None") == "p == nullptr");
    CHECK(cpp("p is not None") == "p != nullptr");
    CHECK(cpp("i in (1, 2)") == "i == 1 || i == 2");
    CHECK(cpp("i not in (1, 2)") == "i != 1 && i != 2");
    CHECK(cpp("i in ()") == "false");
    CHECK(cpp("i < u") == "i < int64_t(u)");
    CHECK(cpp("i < n") == "std::cmp_less(i, n)");
    CHECK(cpp("3 < n") == "3 < n");
    CHECK(dace("i < n") == "i < n");
    CHECK(cpp("z == 1") == "z == 1.0");
    CHECK(cpp("z == q") == "z == std::complex<double>(q)");
    CHECK(cpp("z and b") == "z != 0.0 && b");
    CHECK(cpp("not z") == "!(z != 0.0)");
}

TEST_CASE("complex arithmetic converts operands", "[tasklet][lower]") {
    CHECK(cpp("z * 2") == "z * 2.0");
    CHECK(cpp("z * i") == "z * double(i)");
    CHECK(cpp("q + f") == "q + f");
    CHECK(cpp("q * x") == "std::complex<double>(q) * x");
    CHECK(cpp("z * q") == "z * std::complex<double>(q)");
    CHECK(cpp("1 / z") == "1.0 / z");
    CHECK(cpp("x + 2j") == "x + std::complex<double>(0.0, 2.0)");
    CHECK(cpp("z if b else 1") == "b ? z : std::complex<double>(1)");
    CHECK(cpp("h if b else 1") == "b ? h : " + Type(ScalarKind::Float16).cppName() + "(1)");
    CHECK(cpp("max(h, h) if b else x") == "b ? sdfgc::rt::max(float(h), float(h)) : x");
    CHECK(cpp("sign(h) if b else x") == "b ? sdfgc::rt::sign(float(h)) : x");
    CHECK(cpp("z.real + z.imag") == "std::real(z) + std::imag(z)");
    CHECK(cpp("conj(z) + conj(x)") == "std::conj(z) + x");
    CHECK(cpp("real(f) + imag(f)") == "f + 0.0f");
}

TEST_CASE("functions are std's where the standard has them", "[tasklet][cpp]") {
    CHECK(cpp("math.sqrt(x)") == "std::sqrt(x)");
    CHECK(cpp("sqrt(i)") == "std::sqrt(double(i))");
    CHECK(cpp("sin(h)") == "std::sin(float(h))");
    CHECK(cpp("atan2(f, 1)") == "std::atan2(f, 1.0f)");
    CHECK(cpp("atan2(f, x)") == "std::atan2(double(f), x)");
    CHECK(cpp("ldexp(i, 3)") == "std::ldexp(double(i), 3)");
    CHECK(cpp("max(x, 0)") == "sdfgc::rt::max(x, 0.0)");
    CHECK(cpp("min(i, j, l)") == "sdfgc::rt::min(i, j, l)");
    CHECK(cpp("Max(x)") == "x");
    CHECK(cpp("abs(x) + abs(i) + abs(z)") == "std::abs(x) + std::abs(i) + std::abs(z)");
    CHECK(cpp("abs(u)") == "sdfgc::rt::abs(u)");
    CHECK(cpp("round(x) + round(i)") == "std::round(x) + i");
    CHECK(cpp("round(z)") == "sdfgc::rt::ROUND(z)");
    CHECK(cpp("log2(z)") == "sdfgc::rt::log2(z)");
    CHECK(cpp("log(z)") == "std::log(z)");
    CHECK(cpp("sqrt(v)") == "sdfgc::rt::sqrt(v)");
    CHECK(cpp("heaviside(x, y)") == "sdfgc::rt::heaviside(x, y)");
    CHECK(cpp("sign(x)") == "sdfgc::rt::sign(x)");
    CHECK(cpp("reciprocal(x) + reciprocal(i)") == "1.0 / x + sdfgc::rt::reciprocal(i)");
    CHECK(cpp("np_float_pow(f, i)") == "std::pow(double(f), double(i))");
    CHECK(cpp("isnan(h)") == "std::isnan(float(h))");
    CHECK(cpp("frexp(x)") == "sdfgc::rt::frexp(x)");
    CHECK(cpp("frexp(x, e)") == "std::frexp(x, e)");
    CHECK(cpp("max(x, v)") == "sdfgc::rt::max(x, v)");
    CHECK(typed("max(x, v)")->type == *typeOf("v"));
    CHECK(cpp("own(x, 2)") == "own(x, 2)");
    CHECK(cpp("dace.own(x)") == "dace::own(x)");
    CHECK(cpp("omp_get_thread_num()") == "omp_get_thread_num()");
    CHECK(cpp("printf('%d', i)") == "printf(\"%d\", i)");
}

TEST_CASE("other constructs", "[tasklet][cpp]") {
    CHECK(cpp("1 << l") == "int64_t(1) << l");
    CHECK(dace("1 << l") == "1 << l");
    CHECK(cpp("S(second=2, first=x)") == "S{.first = float(x), .second = 2}");
    CHECK(cpp("S(1, 2)") == "S{.first = 1.0f, .second = 2}");
    CHECK(cpp("r.first + t.second") == "r.first + t->second");
    CHECK(cpp("lambda a, d: a + d") == "[](auto a, auto d) { return a + d; }");
    CHECK(cpp("lambda a: a + x") == "[&](auto a) { return a + x; }");
    Expr lambda = *lowered("lambda a: a");
    lambda.args = {memRef(1, ScalarKind::Float64)};
    CHECK(CppPrinter().expr(lambda) == "[&](auto a) { return mem1; }");
    CHECK(cpp("(x, 1)") == "std::make_tuple(x, 1)");
    CHECK(cpp("obj[i, j]") == "obj[std::make_tuple(i, j)]");
    CHECK(cpp("v if v < 1 else k") == "sdfgc::rt::select(v < 1, v, k)");
    CHECK(CppPrinter().expr(*binary(Op::Mul, raw("a + b"), name("c"))) == "(a + b) * c");
    CHECK(CppPrinter().expr(*raw("a && b")) == "a && b");
}

TEST_CASE("the printer spells names and reports features", "[tasklet][cpp]") {
    CppPrinter printer;
    printer.spell = [](const Expr &e) {
        return e.kind == ExprKind::MemRef ? "A[" + std::to_string(e.slot) + "]" : "_" + e.name.str();
    };
    CHECK(printer.expr(*binary(Op::Add, memRef(2, ScalarKind::Float64), name("x"))) == "A[2] + _x");
    CHECK(printer.expr(*lowered("cb(x) + sqrt(y)")) == "_cb(_x) + std::sqrt(_y)");
    CHECK(usesOf("sqrt(x) + i // j") == "cmath math");
    CHECK(usesOf("z + exp(z)") == "complex");
    CHECK(usesOf("log2(z)") == "complexmath");
    CHECK(usesOf("dace.float16(x)") == "half");
    CHECK(usesOf("exp(v)") == "vecmath vectormath");
    for (const char *function : {"exp(x)", "tanh(x)", "log1p(i)", "pow(x, y)", "x ** y", "hypot(x, y)"}) {
        INFO(function);
        CHECK(usesOf(function) == "cmath vectormath");
    }
    for (const char *function : {"sqrt(x)", "floor(x)", "fmod(x, y)", "tgamma(x)", "x ** 0.5", "copysign(x, y)"}) {
        INFO(function);
        CHECK(usesOf(function) == "cmath");
    }
    CHECK(usesOf("np_float_pow(z, z)") == "complexmath");
    CHECK(usesOf("heaviside(x)") == "ufunc");
    CHECK(usesOf("printf('a')") == "cstdio");
    CHECK(usesOf("(x, y)") == "tuple");
    CHECK(usesOf("dace.own(x)") == "dace");
    CHECK(usesOf("i < n") == "utility");
    CHECK(usesOf("x + 1") == "");
}

TEST_CASE("what is known of a sign does not survive a conversion that can change it", "[tasklet][cpp]") {
    CHECK(cpp("dace.int64(n) // 2") == "sdfgc::rt::floordiv(int64_t(n), 2)");
    CHECK(cpp("dace.int64(u) // 2") == "int64_t(u) / 2");
    CHECK(cpp("dace.int32(u) % 4") == "sdfgc::rt::floormod(int32_t(u), 4)");
    CHECK(cpp("dace.int8(200) % 7") == "sdfgc::rt::floormod(int8_t(200), 7)");
    CHECK(cpp("n // 2") == "n / 2");
    CHECK(cppNonNegative("u // i") == "int64_t(u) / i");
    CHECK(cppNonNegative("n // i") == "sdfgc::rt::floordiv(n, i)");
    CHECK(cppNonNegative("dace.int8(i) // 2") == "sdfgc::rt::floordiv(int8_t(i), 2)");
    CHECK(cpp("(1 << 31) % 7") == "sdfgc::rt::floormod(1 << 31, 7)");
    CHECK(cpp("i ** dace.int8(300)") == "sdfgc::rt::ipow(i, int8_t(300))");
}

TEST_CASE("in symbolic code, quotients that are rounded are exact", "[tasklet][cpp]") {
    const auto symbolic = [](const std::string &text) { return cpp(text, Semantics::Symbolic); };
    CHECK(symbolic("ceiling(i / 3)") == "sdfgc::rt::int_ceil(i, 3)");
    CHECK(symbolic("floor(i / 3 + j / 2)") == "sdfgc::rt::floordiv(i * 2 + j * 3, 3 * 2)");
    CHECK(symbolic("int_ceil(i / 3, 2)") == "sdfgc::rt::int_ceil(i, 2 * 3)");
    CHECK(symbolic("ceil(max(i / 3, 2))") == "sdfgc::rt::max(sdfgc::rt::int_ceil(i, 3), 2)");
    CHECK(symbolic("sqrt(i / 2)") == "std::sqrt(double(i) / 2)");
    CHECK(symbolic("ceil(i)") == "i");
    CHECK(symbolic("max(i / 3, 2)") == "sdfgc::rt::max(i / 3, 2)"); // nothing is rounded
    CHECK(symbolic("i / 3 + j / 2") == "i / 3 + j / 2");
    CHECK(cpp("ceiling(i / 3)", Semantics::Dace) == "sdfgc::rt::ceiling(i / 3)");
}
