// Gradients of gradients: a program that computes a gradient is an ordinary program.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

/// The gradient of `gradient_A`, with respect to A and to the weight of the result.
void check(const std::string &text, const std::map<std::string, int64_t> &symbols, const std::vector<double> &a = {}) {
    INFO(text);
    const Differentiated first(text, "out", "A");
    INFO(first.errors());
    REQUIRE(first.gradient());
    Differentiated second(first.text(), "gradient_A", "A gradient_out", "prefix=second_");
    for (const auto &[name, value] : symbols)
        second.set(name, value);
    if (!a.empty())
        second.set("A", a);
    second.check();
}

std::string program(const std::string &declarations, const std::string &body) {
    return "sdfg f(A, out) {\n symbol N, i: int64\n argument A: float64[N]\n argument out: float64[1]\n" + declarations + body +
           "}\n";
}

} // namespace

TEST_CASE("Of a sum over a map") {
    check(program("", R"(
        state s {
          map m[k = 0:N] with <- A[0:N]; -> out[0] (+) {
            t: o = sin(a) * a  with a <- A[k]; o -> out[0] (+)
          }
        }
    )"),
          {{"N", 4}});
}

TEST_CASE("Of neighbours, through an array") {
    check(program("transient B: float64[N]\n", R"(
        state s {
          map m[k = 1:N-1] with <- A[0:N]; -> B[1:N-1] {
            t: o = a * b * c  with a <- A[k-1], b <- A[k], c <- A[k+1]; o -> B[k]
          }
        }
        state t {
          map n[k = 1:N-1] with <- B[1:N-1]; -> out[0] (+) {
            t: o = exp(b)  with b <- B[k]; o -> out[0] (+)
          }
        }
    )"),
          {{"N", 5}});
}

TEST_CASE("Of a loop with a tape") {
    check(program("transient s: float64\n", R"(
        state begin {
          t: o = 0.5  with o -> s
        }
        for i = 0; i < N; i = i + 1 {
          state step {
            t: o = sin(v * a)  with v <- s, a <- A[i]; o -> s
          }
        }
        state end {
          t: o = v * v  with v <- s; o -> out[0]
        }
    )"),
          {{"N", 3}});
}

TEST_CASE("Of branches in a loop") {
    check(program("transient s: float64\n", R"(
        state begin {
          t: o = 1.0  with o -> s
        }
        for i = 0; i < N; i = i + 1 {
          if s > 1  {
            state large {
              t: o = v * a * a  with v <- s, a <- A[i]; o -> s
            }
          } else {
            state small {
              t: o = v + a * a  with v <- s, a <- A[i]; o -> s
            }
          }
        }
        state end {
          t: o = v * v  with v <- s; o -> out[0]
        }
    )"),
          {{"N", 3}}, {0.6, 0.8, 0.9});
}

TEST_CASE("Of library nodes") {
    const auto of = [](const std::string &declarations, const std::string &nodes, const std::string &result, int64_t n,
                       const std::vector<double> &a) {
        INFO(nodes);
        check("sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N, N]\n argument out: float64[1]\n transient C: float64[N, "
              "N]\n" +
                  declarations + " state s {\n" + nodes + " }\n state sum {\n map m[i = 0:N, j = 0:N] with <- " + result +
                  "[0:N, 0:N]; -> out[0] (+) {\n"
                  " t: o = sin(c)  with c <- " +
                  result + "[i, j]; o -> out[0] (+)\n }\n }\n}\n",
              {{"N", n}}, a);
    };
    const std::vector<double> two{3, 0.5, 0.7, 4};
    of("", "library blas.MatMul p with _a <- A[0:N, 0:N], _b <- A[0:N, 0:N]; _c -> C[0:N, 0:N]\n", "C", 2, two);
    of("", "library linalg.Inv p with _ain <- A[0:N, 0:N]; _aout -> C[0:N, 0:N]\n", "C", 2, two);
    of("", "library linalg.Solve p with _ain <- A[0:N, 0:N], _bin <- A[0:N, 0:N]; _bout -> C[0:N, 0:N]\n", "C", 2, two);
    of("", "library blas.Trsm p with _a <- A[0:N, 0:N], _b <- A[0:N, 0:N]; _c -> C[0:N, 0:N]\n", "C", 2, two);
    of("", "library linalg.Cholesky p with _a <- A[0:N, 0:N]; _b -> C[0:N, 0:N]\n", "C", 2, two);
    of("transient P: int32[N]\n", "library lapack.Getrf p with _xin <- A[0:N, 0:N]; _xout -> C[0:N, 0:N], _ipiv -> P[0:N]\n", "C",
       2, {0.5, 4, 3, 0.7});
}

TEST_CASE("Of reductions") {
    for (const char *how : {"identity = 0, wcr = \"lambda a, b: a + b\"", "identity = 1, wcr = \"lambda a, b: a * b\"",
                            "identity = \"-inf\", wcr = \"lambda a, b: max(a, b)\""})
        check(program("transient s: float64\n",
                      "state s {\n library standard.Reduce r (axes = [0], " + std::string(how) +
                          ") with <- A[0:N]; -> s\n }\n state e {\n t: o = exp(v)  with v <- s; o -> out[0]\n }\n"),
              {{"N", 3}});
}

TEST_CASE("Of nested SDFGs") {
    check(program("transient B: float64[N]\n", R"(
        state s {
          nested n[N = N] with x: pointer(float64) <- A[0:N]; y: pointer(float64) -> B[0:N] {
            sdfg inner(x, y) {
              symbol N, k: int64
              argument x: float64[N]
              argument y: float64[N]
              transient v: float64
              state begin {
                t: o = 1.0  with o -> v
              }
              for k = 0; k < N; k = k + 1 {
                state step {
                  t: o = sin(a) * b  with a <- x[k], b <- v; o -> y[k]
                  u: o = a  with a <- y[k]; o -> v
                }
              }
            }
          }
        }
        state e {
          map m[k = 0:N] with <- B[0:N]; -> out[0] (+) {
            t: o = b * b  with b <- B[k]; o -> out[0] (+)
          }
        }
    )"),
          {{"N", 3}});
}

TEST_CASE("The same names twice are refused, another prefix is taken") {
    const Differentiated first(program("", "state s {\n t: o = a * a  with a <- A[0]; o -> out[0]\n}\n"), "out", "A");
    CHECK(Differentiated(first.text(), "gradient_A", "A").errors() ==
          "SD4716 the gradient of `A` would be called `gradient_A`, but that name is taken");
    CHECK(Differentiated(first.text(), "gradient_A", "A", "prefix=second_").errors().empty());
    CHECK(Differentiated(first.text(), "gradient_A", "A", "prefix=1st").errors().starts_with("SD"));
}
