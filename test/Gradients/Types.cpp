// Gradients in float32 and float16, and of programs that mix types. Reverse and forward mode agree up to rounding, with each other
// and with the same program in float64; gradient containers have the types of the containers they belong to.
#include "Gradient.h"
#include "SourceTree.h"

#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc::test;

namespace {

/// out[i] = the code for a = A[i], b = B[i], element by element.
std::string elementwise(const std::string &code) {
    return R"(
        sdfg f(A, B, out) {
          argument A: $real[4]
          argument B: $real[4]
          argument out: $real[4]
          state main {
            map m[i = 0:4] with <- A[0:4], <- B[0:4]; -> out[0:4] {
              t: o = )" +
           code + R"(  with a <- A[i], b <- B[i]; o -> out[i]
            }
          }
        }
    )";
}

/// Compares gradients with tangents, then with gradients of a program with wider types, with the relative tolerance `far`.
void checkNarrow(const std::string &narrow, const std::string &wide, const std::string &wrt, double far) {
    Differentiated d(narrow, "out", wrt), w(wide, "out", wrt);
    for (Differentiated *each : {&d, &w})
        each->set("N", 5);
    d.checkTangents();
    const Arrays in = w.input();
    const Arrays weights{{"out", std::vector<double>(in.at("out").size(), 0.75)}};
    const Arrays found = d.run(d.input(), weights), expected = w.run(in, weights);
    INFO(d.text());
    for (const auto &[name, values] : expected)
        for (std::size_t k = 0; k < values.size(); ++k) {
            INFO(name << "[" << k << "]");
            CHECK(found.at(name)[k] == Approx(values[k]).epsilon(far).margin(far));
        }
}

/// The text with one type for `$real`, or with types for several words.
void checkIn(const std::string &text, const Values &narrow, const std::string &wrt, double far) {
    Values wide = narrow;
    for (auto &[word, type] : wide)
        type = "float64";
    checkNarrow(replaced(text, narrow), replaced(text, wide), wrt, far);
}

/// One call per derivative, with arguments in the domain of most functions.
const char *const calls[] = {
#define SDFGC_DERIVATIVE1(Name, X) #Name "(a * 0.6)",
#define SDFGC_DERIVATIVE2(Name, A, B) #Name "(a, b)",
#define SDFGC_DERIVATIVE3(Name, A, B, C) #Name "(a, b, a)",
#include "sdfgc/Tasklet/Derivatives.def"
};

/// The call in a valid form: the domain of one function begins at one, and some functions take an integer.
std::string inDomain(const std::string &call) {
    const std::string name = call.substr(0, call.find('('));
    return name == "acosh" ? "acosh(a + 1)" : name == "ipow" || name == "ldexp" || name == "scalbn" ? name + "(a, 2)" : call;
}

} // namespace

TEST_CASE("The docs name every function with a derivative") {
    const std::string docs = *sdfgc::file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/user/differentiation.md");
    const std::size_t begin = docs.find("**Functions.**");
    REQUIRE(begin != std::string::npos);
    const std::string functions = docs.substr(begin, docs.find("\n\n", begin) - begin);
    for (const std::string call : calls)
        CHECK_THAT(functions, Catch::Contains("`" + call.substr(0, call.find('(')) + "`"));
}

TEST_CASE("Every derivative in float32") {
    for (const char *call : calls) {
        INFO(call);
        checkIn(elementwise(inDomain(call) + " * b + a * b"), {{"$real", "float32"}}, "A B", 1e-5);
    }
}

TEST_CASE("Operators and choices in float32 and float16") {
    for (const char *code : {"a * b + a", "a / b - b", "a ** 3", "a ** b", "(3 * a) % b", "a if a > b else b * b", "-a * 2.5",
                             "max(a, 0.9) * min(b, 1.1)", "sin(a) * exp(b)", "sqrt(a) * b"}) {
        INFO(code);
        checkIn(elementwise(code), {{"$real", "float32"}}, "A B", 1e-5);
        checkIn(elementwise(code), {{"$real", "float16"}}, "A B", 1e-2);
    }
}

namespace {

/// A loop that overwrites s, whose values are stored, and a sum of them.
const std::string chain = R"(
    sdfg f(A, out) {
      symbol N, i: int64
      argument A: $input[N]
      argument out: $sum[1]
      transient s: $chain
      state begin {
        t: o = a  with a <- A[0]; o -> s[0]
        z: o = 0  with o -> out[0]
      }
      for i = 0; i < N; i = i + 1 {
        state step {
          t: o = sin(b * c) + 0.1  with b <- s[0], c <- A[i]; o -> s[0]
        }
        state add {
          t: o = b * b * 0.5  with b <- s[0]; o -> out[0] (+)
        }
      }
    }
)";

} // namespace

TEST_CASE("Chains whose input, values and sum differ in type") {
    struct Mix {
        const char *input, *chain, *sum;
        double far;
    };
    for (const Mix &m : std::initializer_list<Mix>{{"float32", "float32", "float32", 1e-5},
                                                   {"float32", "float32", "float64", 1e-5},
                                                   {"float64", "float32", "float64", 1e-5},
                                                   {"float16", "float32", "float32", 5e-3},
                                                   {"float16", "float32", "float64", 5e-3},
                                                   {"float16", "float16", "float32", 2e-2},
                                                   {"float16", "float16", "float16", 2e-2}}) {
        INFO(m.input << ", " << m.chain << ", " << m.sum);
        const Values types{{"$input", m.input}, {"$chain", m.chain}, {"$sum", m.sum}};
        checkIn(chain, types, "A", m.far);
        const std::string text = Differentiated(replaced(chain, types), "out", "A").text();
        for (const auto &[name, type] :
             {std::pair("gradient_A", m.input), {"gradient_s", m.chain}, {"tape_s", m.chain}, {"gradient_out", m.sum}})
            CHECK(text.find(std::string(name) + ": " + type) != std::string::npos);
    }
}

TEST_CASE("Copies and sums that change the type") {
    checkIn(R"(
        sdfg f(A, B, out) {
          symbol N: int64
          argument A: $input[N]
          argument B: $sum[N]
          argument out: $sum[1]
          transient T: $sum[N]
          state copy {
            A[0:N] -> T[0:N]
          }
          then
          state square {
            z: o = 0  with o -> out[0]
            map m[i = 0:N] with <- T[0:N], <- B[0:N], after @out; -> out[0] (+) {
              t: o = a * a * b  with a <- T[i], b <- B[i]; o -> out[0] (+)
            }
          }
        }
    )",
            {{"$input", "float32"}, {"$sum", "float64"}}, "A B", 1e-5);
}

TEST_CASE("A product of matrices in float32") {
    checkIn(R"(
        sdfg f(A, B, out) {
          argument A: $real[3, 4]
          argument B: $real[4, 2]
          argument out: $real[3, 2]
          transient C: $real[3, 2]
          state main {
            library blas.MatMul product with _a <- A[0:3, 0:4], _b <- B[0:4, 0:2]; _c -> C[0:3, 0:2]
            map m[i = 0:3, j = 0:2] with <- C[0:3, 0:2]; -> out[0:3, 0:2] {
              t: o = tanh(c)  with c <- C[i, j]; o -> out[i, j]
            }
          }
        }
    )",
            {{"$real", "float32"}}, "A B", 1e-5);
}

TEST_CASE("A NaN that tapes keep reaches the gradients that depend on it, and no others") {
    for (const char *type : {"float64", "float32"}) {
        INFO(type);
        Differentiated d(replaced(R"(
            sdfg f(A, B, out, sum) {
              symbol N, T, t: int64
              argument A: $real[N]
              argument B: $real[N]
              argument out: $real[N]
              argument sum: $real[1]
              transient X: $real[N]
              state begin {
                A[0:N] -> X[0:N]
                z: o = 0  with o -> sum[0]
              }
              for t = 0; t < T; t = t + 1 {
                state step {
                  map m[i = 0:N] with <- X[0:N], <- B[0:N]; -> X[0:N] {
                    c: o = sin(x * b) + b  with x <- X[i], b <- B[i]; o -> X[i]
                  }
                }
              }
              state end {
                X[0:N] -> out[0:N]
                map m[i = 0:N] with <- X[0:N]; -> sum[0] (+) {
                  c: o = x * x  with x <- X[i]; o -> sum[0] (+)
                }
              }
            }
        )",
                                  {{"$real", type}}),
                         "out sum", "A B");
        d.set("N", 5).set("T", 3).checkTangents();
        CHECK(d.tapes() == "tape_X[max(T, 0), N]");
        for (const char *argument : {"A", "B"}) {
            INFO(argument);
            const Arrays usual = d.run(d.input(), {{"out", std::vector<double>(5, 1)}, {"sum", {1}}});
            Arrays in = d.input();
            in.at(argument)[2] = std::nan("");
            const Arrays found = d.run(in, {{"out", std::vector<double>(5, 1)}, {"sum", {1}}});
            CHECK(std::isnan(found.at("sum")[0]));
            for (const char *gradient : {"gradient_A", "gradient_B"})
                for (std::size_t i = 0; i < 5; ++i) {
                    INFO(gradient << "[" << i << "]");
                    if (i == 2)
                        CHECK(std::isnan(found.at(gradient)[i]));
                    else
                        CHECK(found.at(gradient)[i] == usual.at(gradient)[i]);
                }
        }
    }
}
