// The text of derivatives.
#include "Derivatives.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

const Type single = ScalarKind::Float32;

Derivative ofReverse(const std::string &code) { return std::get<Derivative>(derived(code)); }

using Names = std::set<Name>;

} // namespace

TEST_CASE("linear blocks read no values", "[tasklet][derivatives]") {
    CHECK(reverse("y = a * x + b") == "a_bar = x * y_bar\nb_bar = y_bar\nx_bar = a * y_bar");
    CHECK(tangent("y = a * x + b") == "y_bar = x * a_bar + a * x_bar + b_bar");
    CHECK(reverse("y = 2.0 * x - a / 4") == "a_bar = -(y_bar / 4)\nx_bar = 2.0 * y_bar");
    CHECK(ofReverse("y = 2.0 * x - a / 4").primals.empty());
    CHECK(ofReverse("y = 2.0 * x - a / n").primals.empty());
    CHECK(ofReverse("y = a * x + b").primals == Names{"a", "x"});
    CHECK(ofReverse("y = a * x + b").results == Names{"a", "b", "x"});
}

TEST_CASE("factors of one and zero, signs and equal terms fold", "[tasklet][derivatives]") {
    CHECK(reverse("y = x * x") == "x_bar = 2 * x * y_bar");
    CHECK(reverse("y = x ** 3") == "x_bar = 3 * x ** 2 * y_bar");
    CHECK(reverse("y = x ** 0.5") == "x_bar = y_bar / (2 * x ** 0.5) if y_bar != 0 else 0");
    CHECK(reverse("y = x ** 1 + a ** 0") == "x_bar = y_bar");
    CHECK(reverse("y = -(a - b)") == "a_bar = -y_bar\nb_bar = y_bar");
    CHECK(reverse("y = a - a") == "");
    CHECK(reverse("y = cos(x)") == "x_bar = -(sin(x) * y_bar)");
    CHECK(reverse("y = 1 / (1 + exp(-x))") ==
          "exp_t = exp(-x)\nt = 1 + exp_t\nx_bar = exp_t * (1 / t * y_bar / t) if y_bar != 0 else 0");
}

TEST_CASE("what has no influence has no gradient", "[tasklet][derivatives]") {
    CHECK(reverse("y = 3") == "");
    CHECK(tangent("y = 3") == "y_bar = 0");
    CHECK(reverse("y = floor(x) + sign(a) + (b > 0)") == "");
    CHECK(ofReverse("y = floor(x) + a").results == Names{"a"});
    CHECK(reverse("t = lgamma(x)\ny = a") == "a_bar = y_bar"); // does not contribute to an output
    CHECK(reverse("y = int(x) * a") == "a_bar = dace.int32(x) * y_bar");
    CHECK(reverse("assert a > 0\nprintf('%f', a)\npass\ny = a") == "a_bar = y_bar");
}

TEST_CASE("values are computed once, and only those that are needed", "[tasklet][derivatives]") {
    CHECK(reverse("y = exp(x)\nz = y * a") == "y = exp(x)\na_bar = y * z_bar\nx_bar = y * (y_bar + a * z_bar)");
    CHECK(reverse("y = exp(a * b)") == "d_t = exp(a * b) * y_bar\na_bar = b * d_t\nb_bar = a * d_t");
    CHECK(reverse("y = hypot(a, b)") ==
          "y = hypot(a, b)\ncond = y == 0\na_bar = 0 if cond else a * y_bar / y\nb_bar = 0 if cond else b * y_bar / y");
    CHECK(reverse("y = sin(x) * cos(x)") ==
          "sin_x = sin(x)\ncos_x = cos(x)\nx_bar = cos_x * (cos_x * y_bar) - sin_x * (sin_x * y_bar)");
}

TEST_CASE("locals and outputs that are assigned again", "[tasklet][derivatives]") {
    CHECK(reverse("t = a * b\nt = t * t\ny = sin(t)") ==
          "t = a * b\nd_t = 2 * t * (cos(t * t) * y_bar)\na_bar = b * d_t\nb_bar = a * d_t");
    CHECK(reverse("y = a\ny += b\ny *= x") == "d_y = x * y_bar\na_bar = d_y\nb_bar = d_y\nx_bar = (a + b) * y_bar");
    CHECK(reverse("y = a * b\ny = 2 * a") == "a_bar = 2 * y_bar");
    CHECK(reverse("y, z = b, a") == "a_bar = z_bar\nb_bar = y_bar");
    CHECK(reverse("y = z = a * b") == "d_t = y_bar + z_bar\na_bar = b * d_t\nb_bar = a * d_t");
    CHECK(reverse("x = x + 1\ny = x * x") == "x_bar = 2 * (x + 1) * y_bar");
}

TEST_CASE("float32 stays float32", "[tasklet][derivatives]") {
    CHECK(reverse("y = 2.0 * x", single) == "x_bar = 2 * y_bar");
    CHECK(reverse("y = 0.1 * x", single) == "x_bar = dace.float32(0.1) * y_bar");
    CHECK(reverse("y = x ** 2.5", single) == "x_bar = dace.float32(2.5) * x ** dace.float32(1.5) * y_bar");
    CHECK(reverse("y = log2(x)", single) == "x_bar = y_bar / (dace.float32(0.6931471805599453) * x) if y_bar != 0 else 0");
    CHECK(reverse("y = max(x, 0.0)", single) == "x_bar = y_bar if x > 0 else 0 if x < 0 else y_bar / 2");
    CHECK(reverse("y = x if x > 0.0 else 0.0", single) == "x_bar = y_bar if x > 0.0 else 0");
}

TEST_CASE("numbers of the program do not widen float32", "[tasklet][derivatives]") {
    CHECK(reverse("t = 0.1 * x\ny = sin(t)", single) == "x_bar = dace.float32(0.1) * (cos(dace.float32(0.1) * x) * y_bar)");
    CHECK(reverse("y = x if x > 0 else 0.01 * x", single) == "x_bar = y_bar if x > 0 else dace.float32(0.01) * y_bar");
    CHECK(reverse("if x > 0:\n    t = 0.5\nelse:\n    t = x * 1.5\ny = t * t", single) ==
          R"(cond = x > 0
t = dace.float32(0.5) if cond else x * dace.float32(1.5)
x_bar = 0 if cond else dace.float32(1.5) * (2 * t * y_bar))");
    CHECK(reverse("t = dace.float16(a)\ny = t * t") == "a_bar = dace.float64(2 * dace.float16(a) * dace.float32(y_bar))");
}

TEST_CASE("gradients are cast back to the types of operands", "[tasklet][derivatives]") {
    CHECK(reverse("y = dace.float32(a) * b") == "a_bar = dace.float64(dace.float32(b * y_bar))\nb_bar = dace.float32(a) * y_bar");
    CHECK(reverse("y = dace.float64(x) * n", single) == "x_bar = dace.float32(n * dace.float64(y_bar))");
    CHECK(reverse("t: dace.float32 = x\ny = t") == "x_bar = dace.float64(dace.float32(y_bar))");
}

TEST_CASE("choices select", "[tasklet][derivatives]") {
    CHECK(reverse("y = a if x > 0 else b") == "cond = x > 0\na_bar = y_bar if cond else 0\nb_bar = 0 if cond else y_bar");
    CHECK(reverse("y = sqrt(x) if x > 0 else 0") == "x_bar = (y_bar / (2 * sqrt(x)) if y_bar != 0 else 0) if x > 0 else 0");
    CHECK(reverse("s = sqrt(x)\ny = s if x > 0 else 0") == "x_bar = (y_bar / (2 * sqrt(x)) if y_bar != 0 else 0) if x > 0 else 0");
    CHECK(reverse("y = abs(x)") == "x_bar = y_bar if x > 0 else -y_bar if x < 0 else 0");
    CHECK(reverse("y = a if x else b") == "a_bar = y_bar if x else 0\nb_bar = 0 if x else y_bar"); // no way through conditions
    CHECK(tangent("y = a if x > 0 else b") == "y_bar = a_bar if x > 0 else b_bar");
}

TEST_CASE("branches", "[tasklet][derivatives]") {
    CHECK(reverse("if x > 0:\n    t = exp(x)\nelse:\n    t = 2 * x\ny = t * t") ==
          "cond = x > 0\nt = exp(x) if cond else 2 * x\nd_t = 2 * t * y_bar\nx_bar = t * d_t if cond else 2 * d_t");
    CHECK(reverse("if x > 0:\n    y = a * x\nelif b > 0:\n    y = b\nelse:\n    y = 1") == R"(if x > 0:
    a_bar = x * y_bar
    x_bar = a * y_bar
    b_bar = 0
else:
    b_bar = y_bar if b > 0 else 0
    a_bar = 0
    x_bar = 0)");
    CHECK(reverse("y = a\nif b > 0:\n    y = y * c") == R"(if b > 0:
    a_bar = c * y_bar
    c_bar = a * y_bar
else:
    a_bar = y_bar
    c_bar = 0)");
    CHECK(reverse("if a > 0:\n    t = exp(x)\n    u = sin(t)\n    y = u * t\nelse:\n    y = 0") == R"(if a > 0:
    t = exp(x)
    x_bar = t * (sin(t) * y_bar + cos(t) * (t * y_bar))
else:
    x_bar = 0)");
}

TEST_CASE("chains of branches stay chains", "[tasklet][derivatives]") {
    CHECK(reverse("if i == 0:\n    y = a * a\nelif i == 1:\n    y = b * b\nelif i == 2:\n    y = c\nelse:\n    y = 1") ==
          R"(if i == 0:
    a_bar = 2 * a * y_bar
    b_bar = 0
    c_bar = 0
elif i == 1:
    b_bar = 2 * b * y_bar
    c_bar = 0
    a_bar = 0
else:
    c_bar = y_bar if i == 2 else 0
    b_bar = 0
    a_bar = 0)");
}

TEST_CASE("outputs that some path does not assign", "[tasklet][derivatives]") {
    const std::string code = "z = a\nif a > 0:\n    y = x";
    CHECK(reverse(code) == "x_bar = y_bar if a > 0 else 0\na_bar = z_bar");
    CHECK(ofReverse(code).partial == Names{"y"});
    CHECK(tangent(code) == "if a > 0:\n    y_bar = x_bar\nz_bar = a_bar");
    CHECK(ofReverse("if a > 0:\n    y = x\nelse:\n    y = a").partial.empty());
}

TEST_CASE("elements of pointers", "[tasklet][derivatives]") {
    CHECK(reverse("y = A[i] * B[j]") == "B_bar[j] = A[i] * y_bar\nA_bar[i] = B[j] * y_bar");
    CHECK(ofReverse("y = A[i] * B[j]").indexed == Names{"A", "B"});
    CHECK(ofReverse("y = A[i] * B[j]").results == Names{"A", "B"});
    CHECK(ofReverse("y = A[i] + B[j]").primals.empty());
    CHECK(reverse("y = A[0] * A[1] + A[0]") == "A_bar[1] = A[0] * y_bar\nA_bar[0] = y_bar + A[1] * y_bar");
    CHECK(reverse("y = A[int(x) + i]") == "A_bar[dace.int32(x) + i] = y_bar");
    CHECK(reverse("y = A[i] * x if i < n else b") == R"(if i < n:
    A_bar[i] = x * y_bar
    x_bar = A[i] * y_bar
    b_bar = 0
else:
    x_bar = 0
    b_bar = y_bar)");
    CHECK(reverse("out[i] = a * x") == "d_t = out_bar[i]\na_bar = x * d_t\nx_bar = a * d_t");
    CHECK(tangent("out[i] = a * x") == "out_bar[i] = x * a_bar + a * x_bar");
    CHECK(ofReverse("out[i] = a").stored == Names{"out"});
    CHECK(reverse("out[0] = a * b\nout[1] = out[0] + a") ==
          "d_out_t = out_bar[1]\nd_out_t_2 = out_bar[0] + d_out_t\na_bar = d_out_t + b * d_out_t_2\nb_bar = a * d_out_t_2");
}

TEST_CASE("stores that a later one replaces", "[tasklet][derivatives]") {
    CHECK(reverse("out[i] = a\nout[j] = b") == "a_bar = 0 if i == j else out_bar[i]\nb_bar = out_bar[j]");
    CHECK(reverse("out[i] = a\nout[i] = b") == "b_bar = out_bar[i]");
    CHECK(reverse("out[i, 0] = a\nout[j, 1] = b") == "a_bar = out_bar[i, 0]\nb_bar = out_bar[j, 1]");
    CHECK(reverse("if x > 0:\n    out[i] = a\nelse:\n    out[j] = b") == R"(if x > 0:
    a_bar = out_bar[i]
    b_bar = 0
else:
    b_bar = out_bar[j]
    a_bar = 0)");
    CHECK(reverse("out[i] = a\nif x > 0:\n    out[j] = b") == "error: a store to `out` that a later one in a branch may overwrite");
}

TEST_CASE("gradients of what is assigned are cleared", "[tasklet][derivatives]") {
    const auto clearing = [](const std::string &code) { return text(derived(code, ScalarKind::Float64, clearingOf)); };
    CHECK(clearing("y = lgamma(a) * x") == "y_bar = 0");
    CHECK(clearing("if a > 0:\n    y = x\n    z = x\nelse:\n    z = a") == "if a > 0:\n    y_bar = 0\nz_bar = 0");
    CHECK(clearing("k = int(x) + 1\nif a > 0:\n    out[k] = x\nout[0] = a") ==
          "if a > 0:\n    out_bar[dace.int32(x) + 1] = 0\nout_bar[0] = 0");
    CHECK(clearing("y = x\nwhile y > 0:\n    y = y - 1") == "error: a `while` loop");
    CHECK(std::get<Derivative>(derived("out[i] = x\ny = 1", ScalarKind::Float64, clearingOf)).results == Names{"out", "y"});
}

TEST_CASE("short loops are written out", "[tasklet][derivatives]") {
    CHECK(reverse("y = x\nfor k in range(3):\n    y = y * a") ==
          "y = x * a\nd_y = a * y_bar\nd_y_2 = a * d_y\na_bar = y * a * y_bar + y * d_y + x * d_y_2\nx_bar = a * d_y_2");
    CHECK(reverse("y = 0\nfor k in range(4, 0, -2):\n    y += A[k]") == "A_bar[2] = y_bar\nA_bar[4] = y_bar");
    CHECK(reverse("for k in range(0):\n    y = a\ny = b") == "b_bar = y_bar");
}

TEST_CASE("what has no derivative is refused by name", "[tasklet][derivatives]") {
    using Kind = DerivativeError::Kind;
    const auto error = [](const std::string &code, Type t = ScalarKind::Float64) {
        INFO(code);
        const DerivativeOr d = derived(code, t);
        REQUIRE(std::holds_alternative<DerivativeError>(d));
        return std::get<DerivativeError>(d);
    };
    const DerivativeError unknown = error("t = 2 * x\ny = a + lgamma(t)");
    CHECK(unknown.kind == Kind::Function);
    CHECK(unknown.what == "lgamma");
    CHECK(unknown.at.line == 2);
    CHECK(unknown.at.column == 9);
    CHECK(error("y = clip(a, 0, 1)").what == "clip");
    CHECK(error("y = dace.math.foo(a)").what == "dace::math::foo");
    CHECK(error("np_modf(x, y, z)").what == "np_modf");
    const DerivativeError loop = error("y = x\nwhile y > 0:\n    y = y - 1");
    CHECK(loop.kind == Kind::Construct);
    CHECK(loop.what == "a `while` loop");
    CHECK(loop.at.line == 2);
    CHECK(error("y = 0\nfor k in range(n):\n    y += x").what == "a `for` loop over anything but a constant range");
    CHECK(error("y = 0\nfor k in range(17):\n    y += x").what == "a `for` loop of more than 16 iterations");
    CHECK(error("for k in range(3):\n    k = 1\n    y = x").what == "a `for` loop that assigns its own variable");
    CHECK(error("for k in range(3):\n    y = x\n    break").what == "`break`");
    CHECK(error("y = x\nreturn").what == "`return`");
    CHECK(error("y += x").what == "`y`, which is read before it is assigned");
    CHECK(error("out[i] = x\ny = out[i]").what == "an element of output `out` that is read back");
    CHECK(error("out[i] += x").what == "an element of output `out` that is read back");
    CHECK(error("y = a @ b").kind == Kind::Typing);
    CHECK(error("y = a * 2j").kind == Kind::Complex);
    CHECK(error("y = real(x)", ScalarKind::Complex128).kind == Kind::Complex);
    CHECK(error("y = x * 2", Type::vector(ScalarKind::Float32, 4)).what == "a value of type vector(float32, 4)");
}

TEST_CASE("code in C++ is refused", "[tasklet][derivatives]") {
    const std::vector<StmtRef> block = parseBlockOrRaw("y = x++;");
    Signature s = signatureFor("y = x");
    for (const DerivativeOr &d : {reverseOf(block, s), tangentOf(block, s)}) {
        REQUIRE(std::holds_alternative<DerivativeError>(d));
        CHECK(std::get<DerivativeError>(d).kind == DerivativeError::Kind::Foreign);
    }
}

TEST_CASE("functions that nothing is known of may give factors", "[tasklet][derivatives]") {
    CHECK(reverse("y = a * dace.math.foo(n)") == "a_bar = dace.math.foo(n) * y_bar");
}
