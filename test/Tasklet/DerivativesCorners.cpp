// Derivatives at points where a function is not differentiable, or where one side of a choice is undefined.
#include "Tasklet/Derivatives.h"
#include "Tasklet/Evaluate.h"

#include <cmath>

using namespace sdfgc;
using namespace sdfgc::py;
using namespace sdfgc::py::test;

namespace {

using Values = std::map<Name, double>;

/// Gradients of the sum of the outputs.
Values gradients(const std::string &code, const Values &at, Ties ties = Ties::Split, Type t = ScalarKind::Float64) {
    INFO(code);
    Signature s = signatureFor(code, t);
    s.ties = ties;
    const DerivativeOr derived = reverseOf(*parseBlock(code).value, s);
    INFO(text(derived));
    const auto &d = std::get<Derivative>(derived);
    Columns inputs, outputs;
    for (Name n : d.primals)
        inputs[n] = {{at.at(n)}};
    for (const auto &[n, type] : s.outputs)
        inputs[s.gradient(n)] = {{1}};
    for (Name n : d.results)
        outputs[s.gradient(n)] = {{-99}};
    if (!outputs.empty())
        evaluate(d.block, inputs, outputs, 1, t);
    Values result;
    for (const auto &[n, value] : at)
        result[n] = d.results.count(n) ? outputs[s.gradient(n)].values[0] : 0;
    return result;
}

/// The tangent of y for that of x.
double tangentAt(const std::string &code, double x, double along) {
    const Signature s = signatureFor(code);
    const DerivativeOr derived = tangentOf(*parseBlock(code).value, s);
    INFO(text(derived));
    Columns inputs{{Name("x"), {{x}}}, {s.gradient(Name("x")), {{along}}}}, outputs{{s.gradient(Name("y")), {{-99}}}};
    evaluate(std::get<Derivative>(derived).block, inputs, outputs, 1, ScalarKind::Float64);
    return outputs.at(s.gradient(Name("y"))).values[0];
}

const double notANumber = std::nan(""), infinity = INFINITY;

} // namespace

TEST_CASE("derivatives at zero", "[tasklet][derivatives]") {
    CHECK(gradients("y = hypot(a, b)", {{"a", 0}, {"b", 0}}) == Values{{"a", 0}, {"b", 0}});
    CHECK(gradients("y = abs(x)", {{"x", 0}}) == Values{{"x", 0}});
    CHECK(gradients("y = fabs(x)", {{"x", -0.0}}) == Values{{"x", 0}});
    CHECK(gradients("y = copysign(a, b)", {{"a", 0}, {"b", -1}}) == Values{{"a", 0}, {"b", 0}});
    CHECK(gradients("y = copysign(a, b)", {{"a", 2}, {"b", -0.0}}) == Values{{"a", -1}, {"b", 0}});
    CHECK(gradients("y = sqrt(x)", {{"x", 0}}) == Values{{"x", infinity}});
    CHECK(gradients("y = cbrt(x)", {{"x", 0}}) == Values{{"x", infinity}});
    CHECK(gradients("y = heaviside(a, b)", {{"a", 0}, {"b", 3}}) == Values{{"a", 0}, {"b", 1}});
    CHECK(gradients("y = fdim(a, b)", {{"a", 2}, {"b", 2}}) == Values{{"a", 0}, {"b", 0}});
}

TEST_CASE("a gradient of zero stays zero where a derivative is infinite", "[tasklet][derivatives]") {
    for (const char *f :
         {"sqrt(x)", "cbrt(x)", "x ** 0.5", "pow(x, 0.25)", "asin(x + 1)", "acos(x + 1)", "acosh(x + 1)", "atan2(x, x)", "1 / x",
          "log(x)", "log2(x)", "log10(x)", "log1p(x - 1)", "atanh(1 - x)", "reciprocal(x)", "x ** -2"}) {
        INFO(f);
        CHECK(gradients(std::string("y = z * (") + f + ")", {{"x", 0}, {"z", 0}})["x"] == 0);
    }
    CHECK(gradients("y = sqrt(x)", {{"x", notANumber}})["x"] != 0);
    CHECK(tangentAt("y = sqrt(x)", 0, 0) == 0);
    CHECK(tangentAt("y = log(x)", 0, 0) == 0);
    CHECK(tangentAt("y = sqrt(x)", 0, 1) == infinity);
}

TEST_CASE("derivatives of powers at zero", "[tasklet][derivatives]") {
    for (const char *code : {"y = a ** b", "y = pow(a, b)", "y = np_float_pow(a, b)"}) {
        CHECK(gradients(code, {{"a", 0}, {"b", 2}}) == Values{{"a", 0}, {"b", 0}});
        CHECK(gradients(code, {{"a", 0}, {"b", 1}}) == Values{{"a", 1}, {"b", 0}});
        CHECK(gradients(code, {{"a", 0}, {"b", 0}}) == Values{{"a", 0}, {"b", -infinity}});
        CHECK(gradients(code, {{"a", -2}, {"b", 0}})["a"] == 0);
        CHECK(gradients(code, {{"a", -2}, {"b", 3}})["a"] == 12);
        CHECK(std::isnan(gradients(code, {{"a", -2}, {"b", 3}})["b"]));
        CHECK(std::isnan(gradients(code, {{"a", -2}, {"b", 0.5}})["a"]));
    }
    CHECK(gradients("y = x ** 0", {{"x", 0}}) == Values{{"x", 0}});
    CHECK(gradients("y = x ** 1", {{"x", 0}}) == Values{{"x", 1}});
    CHECK(gradients("y = x ** 2", {{"x", 0}}) == Values{{"x", 0}});
    CHECK(gradients("y = ipow(x, 0)", {{"x", 0}}) == Values{{"x", 0}});
}

TEST_CASE("ties are split, or the first takes all", "[tasklet][derivatives]") {
    for (const char *code : {"y = max(a, b)", "y = min(a, b)", "y = fmax(a, b)", "y = fmin(a, b)"}) {
        CHECK(gradients(code, {{"a", 2}, {"b", 2}}) == Values{{"a", 0.5}, {"b", 0.5}});
        CHECK(gradients(code, {{"a", 2}, {"b", 2}}, Ties::First) == Values{{"a", 1}, {"b", 0}});
        CHECK(gradients(code, {{"a", 2}, {"b", 2}}, Ties::Split, ScalarKind::Float32) == Values{{"a", 0.5}, {"b", 0.5}});
    }
    CHECK(gradients("y = max(a, b, c)", {{"a", 2}, {"b", 2}, {"c", 1}}) == Values{{"a", 0.5}, {"b", 0.5}, {"c", 0}});
    CHECK(gradients("y = max(a, b, c)", {{"a", 2}, {"b", 2}, {"c", 2}}, Ties::First) == Values{{"a", 1}, {"b", 0}, {"c", 0}});
}

TEST_CASE("fmax and fmin give all to the side that is a number", "[tasklet][derivatives]") {
    for (const char *code : {"y = fmax(a, b)", "y = fmin(a, b)"}) {
        CHECK(gradients(code, {{"a", notANumber}, {"b", 2}})["a"] == 0);
        CHECK(gradients(code, {{"a", notANumber}, {"b", 2}})["b"] == 1);
        CHECK(gradients(code, {{"a", 2}, {"b", notANumber}})["a"] == 1);
        CHECK(gradients(code, {{"a", 2}, {"b", notANumber}})["b"] == 0);
    }
}

TEST_CASE("the real part of a real number is the number, whatever it is written of", "[tasklet][derivatives]") {
    CHECK(gradients("y = x.real * x", {{"x", 3}}) == Values{{"x", 6}});
    CHECK(gradients("y = (x * x).real + x.imag", {{"x", 3}}) == Values{{"x", 6}});
    CHECK(gradients("y = (x * x).imag", {{"x", 3}}) == Values{{"x", 0}});
    CHECK(tangentAt("y = (x * x).real", 3, 1) == 6);
    CHECK(std::get<DerivativeError>(derived("y = (x * (1 + 2j)).real")).kind == DerivativeError::Kind::Complex);
    CHECK(reverse("y = (x * x).first") == "error: a member of a structure");
}

TEST_CASE("functions need as many arguments as they have derivatives", "[tasklet][derivatives]") {
    CHECK(reverse("y = pow(x)") == "error: pow with 1 argument");
    CHECK(reverse("y = sin(x, x)") == "error: sin with 2 arguments");
    CHECK(reverse("y = hypot(x, x, x, x)") == "error: hypot with 4 arguments");
    CHECK(tangent("y = sin()") == "y_bar = 0");
}

TEST_CASE("what a choice does not take leaves no trace", "[tasklet][derivatives]") {
    for (const char *code : {
             "y = sqrt(x) if x > 0 else 0",
             "s = sqrt(x)\ny = s if x > 0 else 0",
             "s = sqrt(x)\nt = s * s\ny = 2 * t if x > 0 else 1",
             "s = sqrt(x)\nif x > 0:\n    y = 3 * s\nelse:\n    y = 4",
             "y = 0\nif x > 0:\n    y = log(x) * x",
         }) {
        for (const Type t : {Type(ScalarKind::Float64), Type(ScalarKind::Float32)})
            CHECK(gradients(code, {{"x", -1}}, Ties::Split, t) == Values{{"x", 0}});
    }
    CHECK(gradients("y = max(sqrt(a), 0) if a > 0 else b", {{"a", -1}, {"b", 5}}) == Values{{"a", 0}, {"b", 1}});
    CHECK(gradients("y = sqrt(x) if x > 0 else 0", {{"x", 4}}) == Values{{"x", 0.25}});
}
