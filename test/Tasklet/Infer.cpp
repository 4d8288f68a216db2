// Types of expressions and blocks.
#include "Tasklet/Fixture.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

std::string type(const std::string &text, Semantics s = Semantics::Python) { return typed(text, s)->type.str(); }

std::string locals(const TypedBlock &t) {
    std::string out;
    for (Name n : t.localOrder)
        out += (out.empty() ? "" : ", ") + n.str() + " " + t.locals.at(n).str();
    return out;
}

std::string firstError(const std::string &text) {
    const TypedBlock t = typedBlock(text);
    return t.errors.empty() ? "" : t.errors[0].message;
}

} // namespace

TEST_CASE("literals take the smallest C type", "[tasklet][infer]") {
    CHECK(type("1") == "int32");
    CHECK(type("2147483647") == "int32");
    CHECK(type("2147483648") == "int64");
    CHECK(type("-2147483648") == "int32");
    CHECK(type("-2147483649") == "int64");
    CHECK(type("9223372036854775808") == "uint64");
    CHECK(type("-9223372036854775808") == "int64");
    CHECK(type("1.5") == "float64");
    CHECK(type("2j") == "complex128");
    CHECK(type("True") == "bool");
    CHECK(type("'a'") == "string");
}

TEST_CASE("arithmetic promotes as C++ does", "[tasklet][infer]") {
    CHECK(type("i + l") == "int64");
    CHECK(type("s + s") == "int32");
    CHECK(type("b + b") == "int32");
    CHECK(type("-b") == "int32");
    CHECK(type("i * u") == "uint32");
    CHECK(type("f * 2") == "float32");
    CHECK(type("f * 2.0") == "float64");
    CHECK(type("l * f") == "float32");
    CHECK(type("h + h") == "float32");
    CHECK(type("h + x") == "float64");
    CHECK(type("q * x") == "complex128");
    CHECK(type("q * 2") == "complex64");
    CHECK(type("v * 2.0") == "vector(float32, 4)");
    CHECK(type("k * 2") == "vector(int32, 4)");
    CHECK(type("p + 1") == "float64");
    CHECK(type("unknown + 1") == "void");
}

TEST_CASE("division, powers and shifts depend on the semantics", "[tasklet][infer]") {
    CHECK(type("i / j") == "float64");
    CHECK(type("i / j", Semantics::Dace) == "int32");
    CHECK(type("i / j", Semantics::Symbolic) == "int32");
    CHECK(type("i / l", Semantics::Symbolic) == "int64");
    CHECK(type("b / c", Semantics::Symbolic) == "int32");
    CHECK(type("i / u", Semantics::Symbolic) == "int64");
    CHECK(type("n / 4", Semantics::Symbolic) == "uint64");
    CHECK(type("-4 / n", Semantics::Symbolic) == "int64");
    CHECK(type("i / 2.5", Semantics::Symbolic) == "float64");
    CHECK(type("f / i", Semantics::Symbolic) == "float32");
    CHECK(type("i ** -2", Semantics::Symbolic) == "float64");
    CHECK(type("x // j", Semantics::Symbolic) == "float64");
    CHECK(type("1 << l", Semantics::Symbolic) == "int64");
    CHECK(type("f / i") == "float32");
    CHECK(type("i // j") == "int32");
    CHECK(type("x // j") == "float64");
    CHECK(type("x // j", Semantics::Dace) == "int32");
    CHECK(type("i // u") == "int64");
    CHECK(type("i ** 2") == "int32");
    CHECK(type("i ** -2") == "float64");
    CHECK(type("i ** -2", Semantics::Dace) == "int32");
    CHECK(type("i ** j") == "int32");
    CHECK(type("f ** 0.5") == "float32");
    CHECK(type("i ** 0.5") == "float64");
    CHECK(type("f ** 2") == "float32");
    CHECK(type("f ** 2.0") == "float32");
    CHECK(type("f ** 1.5") == "float64");
    CHECK(type("2 ** x") == "float64");
    CHECK(type("1 << l") == "int64");
    CHECK(type("1 << l", Semantics::Dace) == "int32");
    CHECK(type("b & c") == "bool");
    CHECK(type("i & b") == "int32");
}

TEST_CASE("tests are bool, choices join", "[tasklet][infer]") {
    CHECK(type("x < y") == "bool");
    CHECK(type("i and x") == "bool");
    CHECK(type("not i") == "bool");
    CHECK(type("v < 1") == "vector(bool, 4)");
    CHECK(type("x if b else i") == "float64");
    CHECK(type("s if b else s") == "int8");
    CHECK(type("p if b else None") == "pointer(float64)");
}

TEST_CASE("members, elements and casts", "[tasklet][infer]") {
    CHECK(type("p[i]") == "float64");
    CHECK(type("p[i, j]") == "float64");
    CHECK(type("v[0]") == "float32");
    CHECK(type("r.first") == "float32");
    CHECK(type("t.second") == "int32");
    CHECK(type("z.real") == "float64");
    CHECK(type("q.imag") == "float32");
    CHECK(type("dace.int16(x)") == "int16");
    CHECK(type("x.real") == "float64");
}

TEST_CASE("functions have result types", "[tasklet][infer]") {
    CHECK(type("math.sqrt(i)") == "float64");
    CHECK(type("sqrt(f)") == "float32");
    CHECK(type("exp(q)") == "complex64");
    CHECK(type("sin(h)") == "float32");
    CHECK(type("abs(z)") == "float64");
    CHECK(type("abs(s)") == "int32");
    CHECK(type("abs(u)") == "uint32");
    CHECK(type("max(i, f)") == "float32");
    CHECK(type("min(i, l, x)") == "float64");
    CHECK(type("isnan(f)") == "bool");
    CHECK(type("real(z)") == "float64");
    CHECK(type("conj(q)") == "complex64");
    CHECK(type("round(f)") == "float32");
    CHECK(type("ldexp(f, i)") == "float32");
    CHECK(type("np_float_pow(f, f)") == "float64");
    CHECK(type("py_mod(i, l)") == "int64");
    CHECK(type("cb(x)") == "float64");
    CHECK(type("own(x)") == "void");
    CHECK(type("S(first=1)") == "S");
    CHECK(type("max(x, unknown)") == "void");
}

TEST_CASE("lambdas are typed by their parameters", "[tasklet][infer]") {
    const ExprRef l = parsed("lambda x, y: x / y + i");
    CHECK(inferLambda(l, {Type(ScalarKind::Int32), Type(ScalarKind::Int32)}, env())->args[0]->type == Type(ScalarKind::Float64));
    CHECK(inferTypes(l, env())->args[0]->type == Type()); // the parameters hide outer names
}

TEST_CASE("locals get the join of what is assigned to them", "[tasklet][infer]") {
    CHECK(locals(typedBlock("a = 1\nd = x\nout = a + d")) == "a int32, d float64");
    CHECK(locals(typedBlock("a = 1\na = 2.5\nd = a")) == "a float64, d float64");
    CHECK(locals(typedBlock("a = 1\nfor m in range(3):\n  e = a\n  a = a + x")) == "a float64, m int64, e float64");
    CHECK(locals(typedBlock("a: dace.float32\nif b:\n  a = 1")) == "a float32");
    CHECK(locals(typedBlock("a = 1\na /= 2")) == "a float64");
    CHECK(locals(typedBlock("a, d = 1, x")) == "a int32, d float64");
    CHECK(locals(typedBlock("a, d = own(x)")) == "a void, d void");
    CHECK(locals(typedBlock("a = d = x")) == "a float64, d float64");
    CHECK(locals(typedBlock("py_divmod(i, l, a, d)")) == "a int64, d int64");
    CHECK(locals(typedBlock("np_frexp(f, a, d)")) == "a float32, d int32");
    CHECK(locals(typedBlock("x = 1")) == ""); // known in the environment
}

TEST_CASE("outputs report what was assigned to them", "[tasklet][infer]") {
    const TypedBlock t = typedBlock("new_out = i + 1\nother_out = x\nother_out = z\np[i] = 3");
    CHECK(t.assigned.at("new_out") == Type(ScalarKind::Int32));
    CHECK(t.assigned.at("other_out") == Type(ScalarKind::Complex128));
    CHECK(t.locals.empty());
    CHECK(t.errors.empty());
}

TEST_CASE("what has no meaning is reported", "[tasklet][infer]") {
    CHECK(firstError("out = x @ y") == "matrix products (`@`) are not supported in code strings");
    CHECK(firstError("out = p[1:2]") == "slices are not supported in code strings");
    CHECK(firstError("out = x in p") == "`in` is supported for tuples only");
    CHECK(firstError("out = own(k=1)") == "keyword arguments are supported for struct initialisers only");
    CHECK(firstError("sout = S(third=1)") == "struct `S` has no field `third`");
    CHECK(firstError("out = sout.third") == "struct `S` has no field `third`");
    CHECK(firstError("out = sout.first") == "");
    CHECK(firstError("out = np.linalg(x)") == "unknown function `np.linalg`");
    CHECK(firstError("out = z < w") == "complex numbers have no order");
    CHECK(firstError("out = z % w") == "`//` and `%` are not defined for complex numbers");
    CHECK(firstError("out = x & 1") == "bit operators need integers, not float64");
    CHECK(firstError("out = 99999999999999999999") == "integer literal does not fit in 64 bits");
    CHECK(firstError("a = x\na = r") == "`a` is assigned values of types float64 and S");
    CHECK(firstError("for m in p:\n  out = m") == "a `for` loop needs `range(...)`");
    CHECK(firstError("a, d = 1, 2, 3") == "cannot assign 3 values to 2 names");
    CHECK(firstError("a: b[3] = 1") == "the annotation is not a type");
    CHECK(unsupported(*typed("x + y")).empty());
    CHECK(unsupported(*typed("x @ y + p[:]")).size() == 2);
}
