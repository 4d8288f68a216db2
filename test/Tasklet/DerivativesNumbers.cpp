// Values of derivatives: reverse mode compared with forward mode, both with finite differences, in either precision.
#include "Tasklet/Comparison.h"

#include "Tasklet/Functions.h"

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

void checkAll(const std::vector<Case> &cases) {
    for (const Case &c : cases) {
        INFO(c.code);
        CHECK(std::fabs(Comparison(c).check()) > 1e-3); // otherwise the case is meaningless
    }
}

const std::vector<Case> functionCases = {
    {"y = sqrt(x)"},
    {"y = cbrt(x)"},
    {"y = reciprocal(x)"},
    {"y = pow(a, b)"},
    {"y = np_float_pow(a, b)"},
    {"y = ipow(x, 3)"},
    {"y = ldexp(x, 2)"},
    {"y = scalbn(x, -1)"},
    {"y = exp(x)"},
    {"y = exp2(x)"},
    {"y = expm1(x)"},
    {"y = log(x)"},
    {"y = log2(x)"},
    {"y = log10(x)"},
    {"y = log1p(x)"},
    {"y = sin(x)", -2, 2},
    {"y = cos(x)", -2, 2},
    {"y = tan(x)", -1, 1},
    {"y = asin(x)", -0.8, 0.8},
    {"y = acos(x)", -0.8, 0.8},
    {"y = atan(x)", -2, 2},
    {"y = atan2(a, b)", -2, -0.5},
    {"y = hypot(a, b)", -2, 2},
    {"y = sinh(x)", -2, 2},
    {"y = cosh(x)", -2, 2},
    {"y = tanh(x)", -2, 2},
    {"y = asinh(x)", -2, 2},
    {"y = acosh(x)", 1.5, 3},
    {"y = atanh(x)", -0.8, 0.8},
    {"y = deg2rad(x) * 10"},
    {"y = rad2deg(x) / 10"},
    {"y = erf(x)", -1, 1},
    {"y = erfc(x)", -1, 1},
    {"y = abs(x)", -2, 2},
    {"y = fabs(x)", -2, 2},
    {"y = copysign(a, b)", -2, 2},
    {"y = max(a, b)", -2, 2},
    {"y = min(a, b)", -2, 2},
    {"y = fmax(a, b)", -2, 2},
    {"y = fmin(a, b)", -2, 2},
    {"y = fdim(a, b)", -2, 2},
    {"y = heaviside(a, b) + b", -2, 2},
    {"y = fmod(a * 9, b)"},
    {"y = cpp_mod(a * -9, b)"},
    {"y = py_mod(a * -9, b)"},
    {"y = floormod(a * -9, b)"},
    {"y = remainder(a * 9, b)"},
    {"y = fma(a, b, c)", -2, 2, "y = a * b + c"},
    {"y = nextafter(a, b)"},
    {"y = real(x)"},
    {"y = conj(x)"},
};

} // namespace

TEST_CASE("every function has a row in the table of derivatives, and every derivative a case", "[tasklet][derivatives]") {
    for (const detail::Function &f : detail::allFunctions()) {
        INFO(f.name);
        const Differentiable is = differentiable(f.name);
        CHECK(is != Differentiable::Unlisted);
        const auto tests = [&](const Case &c) { return c.code.find("= " + std::string(f.name) + "(") != std::string::npos; };
        CHECK(std::any_of(functionCases.begin(), functionCases.end(), tests) == (is == Differentiable::Yes));
    }
    for (const char *row : {
#define SDFGC_DERIVATIVE1(Name, X) #Name,
#define SDFGC_DERIVATIVE2(Name, A, B) #Name,
#define SDFGC_DERIVATIVE3(Name, A, B, C) #Name,
#define SDFGC_PASSIVE(Name) #Name,
#define SDFGC_NO_DERIVATIVE(Name) #Name,
#include "sdfgc/Tasklet/Derivatives.def"
         }) {
        INFO(row);
        CHECK(detail::findFunction(row));
    }
}

TEST_CASE("derivatives of functions", "[tasklet][derivatives]") { checkAll(functionCases); }

TEST_CASE("derivatives of operators", "[tasklet][derivatives]") {
    checkAll({
        {"y = a + b"},
        {"y = a - b"},
        {"y = a * b"},
        {"y = a / b"},
        {"y = -x"},
        {"y = +x"},
        {"y = a * 9 % b"},
        {"y = -9 * a % b"},
        {"y = a ** b"},
        {"y = x ** 3"},
        {"y = x ** -2"},
        {"y = x ** 0.5"},
        {"y = x ** 2.5"},
        {"y = 2 ** x"},
        {"y = a // b + a"},
        {"y = a if a > b else b * b"},
        {"y = a * int(b)"},
    });
}

TEST_CASE("derivatives of blocks", "[tasklet][derivatives]") {
    checkAll({
        {"t = a * b\nt = t * t\ny = sin(t)"},
        {"y = exp(x)\nz = y * a"},
        {"y = a\ny += b\ny *= x\ny /= a\ny -= b * b\ny **= 2"},
        {"if x > 1:\n    t = exp(x)\nelse:\n    t = 2 * x\ny = t * t"},
        {"if x > 1:\n    y = a * x\n    z = a\nelif x > 0.6:\n    y = b\n    z = b * b\nelse:\n    y = 1\n    z = x"},
        {"y = a\nif b > 1:\n    y = y * c\n    if c > 1:\n        y = sin(y)\nz = y * y"},
        {"y = A[0] * A[1] * x + A[2]"},
        {"out[0] = a * b\nout[1] = out[0] * a\nout[2] = out[0] * out[1]"},
        {"s = 0\nfor k in range(3):\n    s += A[k] * x ** k\ny = s"},
        {"y = 1 / (1 + exp(-x))", -3, 3},
        {"y = x * 0.5 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x ** 3)))", -2, 2},
        {"y = min(max(x, 0), 1) + max(a, b, c)", -2, 2},
        {"y, z = b * b, a / b"},
        {"y = z = a * b"},
        {"t: dace.float32 = 3\ny = x * t + (a * (b > 1))"},
        {"y = sqrt(a * a + b * b) + (sqrt(x) if x > 1 else x * x * (a if a > b else b))"},
    });
}
