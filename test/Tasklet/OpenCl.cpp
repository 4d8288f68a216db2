// Text of expressions in OpenCL C, and what has none.
#include "Tasklet/Fixture.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

CppPrinter openCl() {
    CppPrinter printer;
    printer.inOpenCl = true;
    return printer;
}

std::string cl(const std::string &text) { return openCl().expr(*lowered(text)); }
std::string clAs(const std::string &text, Type t) { return openCl().exprAs(*lowered(text), t); }
std::string why(const std::string &text) { return whyNotOpenCl(*lowered(text)); }

std::string clBlock(const std::string &text) {
    const TypedBlock block = typedBlock(text);
    return openCl().stmts(lowerOperators(block.block, Semantics::Python), block.locals, 0);
}

} // namespace

TEST_CASE("complex operators are functions in OpenCL C", "[tasklet][opencl]") {
    CHECK(cl("z + w") == "sdfgc_add_complex128(z, w)");
    CHECK(cl("z * x") == "sdfgc_mul_right_complex128(z, x)");
    CHECK(cl("x - z") == "sdfgc_sub_left_complex128(x, z)");
    CHECK(cl("-z / 2") == "sdfgc_div_right_complex128(sdfgc_neg_complex128(z), 2.0)");
    CHECK(cl("z + q") == "sdfgc_add_complex128(z, sdfgc_complex128_of_complex64(q))");
    CHECK(cl("z == w") == "sdfgc_equal_complex128(z, w)");
    CHECK(cl("z != 1") == "!sdfgc_equal_complex128(z, sdfgc_complex128_of(1.0))");
    CHECK(cl("z if b else 1.0") == "(b ? z : sdfgc_complex128_of(1.0))");
    CHECK(cl("2j") == "sdfgc_parts_complex128(0, 2.0)");
    CHECK(cl("x * y + z.real") == "x * y + sdfgc_real_complex128(z)");
}

TEST_CASE("complex functions are those of opencl_structs.h", "[tasklet][opencl]") {
    CHECK(cl("exp(z)") == "sdfgc_exp_complex128(z)");
    CHECK(cl("abs(q)") == "sdfgc_abs_complex64(q)");
    CHECK(cl("z ** w") == "sdfgc_pow_complex128(z, w)");
    CHECK(cl("z ** x") == "sdfgc_pow_right_complex128(z, x)");
    CHECK(cl("x ** z") == "sdfgc_pow_left_complex128(x, z)");
    CHECK(cl("exp(x)") == "sdfgc_exp_float64(x)");
    CHECK(why("exp(z) + sqrt(q)").empty());
}

TEST_CASE("values are converted where OpenCL C stores structures", "[tasklet][opencl]") {
    CHECK(clAs("x + 1", ScalarKind::Complex128) == "sdfgc_complex128_of(x + 1)");
    CHECK(clAs("z", ScalarKind::Complex128) == "z");
    CHECK(clAs("q", ScalarKind::Complex128) == "sdfgc_complex128_of_complex64(q)");
    CHECK(clAs("x", ScalarKind::Float64) == "x");
    CHECK(clBlock("zout = x\n") == "zout = sdfgc_complex64_of(x);\n");
    CHECK(clBlock("a = z\na += x\n") == "sdfgc_complex128 a = z;\na = sdfgc_add_right_complex128(a, x);\n");
    CHECK(CppPrinter().exprAs(*lowered("x + 1"), ScalarKind::Complex128) == "x + 1");
}

TEST_CASE("small floats are floats except where they are stored", "[tasklet][opencl]") {
    CHECK(cl("h + f") == "sdfgc_float_of_float16(h) + f");
    CHECK(cl("dace.float16(x)") == "sdfgc_float_of_float16(sdfgc_float16_of(x))");
    CHECK(clAs("h", ScalarKind::Float16) == "h");
    CHECK(clAs("h * h", ScalarKind::Float16) == "sdfgc_float16_of(sdfgc_float_of_float16(h) * sdfgc_float_of_float16(h))");
    CHECK(clAs("dace.float16(x)", ScalarKind::Float16) == "sdfgc_float16_of(x)");
    CHECK(openCl().place(*lowered("h")) == "h");
}

TEST_CASE("vectors are structures, except those of one element", "[tasklet][opencl]") {
    CHECK(cl("v * f + 1") == "sdfgc_add_float32x4(sdfgc_mul_float32x4(v, sdfgc_float32x4_of(f)), sdfgc_float32x4_of(1))");
    CHECK(cl("sqrt(v)") == "sdfgc_sqrt_float32x4(v)");
    CHECK(cl("v[1] + f") == "v.lane[1] + f");
    CHECK(clAs("f", Type::vector(ScalarKind::Float32, 4)) == "sdfgc_float32x4_of(f)");
    CHECK(clAs("f", Type::vector(ScalarKind::Float32, 1)) == "f");
    CHECK(Type::vector(ScalarKind::Float32, 1).openClName() == "float");
    CHECK(Type::vector(ScalarKind::Complex64, 2).openClName().empty());
}

TEST_CASE("the reason names what OpenCL C has no text for", "[tasklet][opencl]") {
    CHECK(why("v + k") == "an operation on vector(int32, 4) and vector(float32, 4)");
    CHECK(why("tan(v)") == "the function `tan` of vectors");
    CHECK(why("k % 3") == "the function `floormod` of vectors");
    CHECK(why("k & 3") == "an operator on vectors that is not + - * /");
    CHECK(why("v < 1") == "a value of type vector(bool, 4)");
    CHECK(why("nearbyint(x)") == "the function `nearbyint`");
    CHECK(why("np_modf(x, h, y)") == "the function `np_modf` of float64"); // a small float as a result
    CHECK(why("gcd(z, w)") == "the function `gcd` of complex numbers");
    CHECK(why("t.first") == "the member `first`"); // through a pointer
}

TEST_CASE("structures of values are compound literals and members", "[tasklet][opencl]") {
    CHECK(cl("r.first * f") == "r.first * f");
    CHECK(cl("S(first=f, second=i)") == "(sdfgc_struct_S){.first = f, .second = i}");
    CHECK(why("S(first=f, second=r.second)").empty());
    CHECK(Type::structure("T", {{"z", ScalarKind::Complex64}}).openClName() == "sdfgc_struct_T");
    CHECK(Type::structure("T", {{"p", Type::pointer(ScalarKind::Float32)}}).openClName().empty());
}

TEST_CASE("functions with several results are macros that assign them", "[tasklet][opencl]") {
    CHECK(cl("np_modf(x, y, f)") == "SDFGC_NP_MODF(float64, x, y, f)");
    CHECK(cl("py_divmod(i, l, out, iout)") == "SDFGC_PY_DIVMOD(int64, i, l, out, iout)");
    CHECK(cl("frexp(x)") == "sdfgc_frexp_float64(x)");
    CHECK(why("np_modf(x, y, f)").empty());
}

TEST_CASE("threads combine structures only by operations that have a form", "[tasklet][opencl]") {
    CHECK(hasOpenClUpdate(Reduction::Sum, ScalarKind::Complex64));
    CHECK_FALSE(hasOpenClUpdate(Reduction::Product, ScalarKind::Complex64));
    CHECK(hasOpenClUpdate(Reduction::Min, ScalarKind::Float16));
    CHECK_FALSE(hasOpenClUpdate(Reduction::BitAnd, ScalarKind::Float16));
    CHECK_FALSE(hasOpenClUpdate(Reduction::Sum, Type::vector(ScalarKind::Float32, 4)));
    CHECK(hasOpenClUpdate(Reduction::BitAnd, ScalarKind::Int64));
}
