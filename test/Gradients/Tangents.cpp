// Cases with special rules in forward mode: containers written without a tangent, nested SDFGs, library nodes. Every other gradient
// test also compares both modes.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

void checkTangents(const std::string &text, const std::map<std::string, int64_t> &symbols, const std::string &of = "out",
                   const std::string &wrt = "A", const std::map<std::string, std::vector<double>> &values = {}) {
    Differentiated d(text, of, wrt);
    for (const auto &[name, value] : symbols)
        d.set(name, value);
    for (const auto &[name, value] : values)
        d.set(name, value);
    d.checkTangents();
}

} // namespace

TEST_CASE("What is overwritten by a number has no tangent any more") {
    Differentiated d(R"(
        sdfg f(A) {
          argument A: float64[4]
          state main {
            map m[i = 0:4] with <- A[0:4]; -> A[0:4] {
              t: b = sin(a)  with a <- A[i]; b -> A[i]
            }
          }
          state second {
            t: b = 2.5  with b -> A[1]
          }
        }
    )",
                     "A", "A");
    d.checkTangents();
    CHECK(d.tangent({{"A", {1, 1, 1, 1}}}).at("tangent_A")[1] == 0);
}

TEST_CASE("An array that the caller gives no tangent begins with zero") {
    checkTangents(R"(
        sdfg f(A, B, out) {
          argument A: float64[4]
          argument B: float64[4]
          argument out: float64[4]
          state first {
            map m[i = 0:4] with <- A[0:4], <- B[0:4]; -> out[0:4] {
              t: c = a * b  with a <- A[i], b <- B[i]; c -> out[i]
            }
          }
          state again {
            map m[i = 0:2] with <- A[0:2]; -> B[0:2] {
              t: b = a * a  with a <- A[i]; b -> B[i]
            }
          }
          state last {
            map m[i = 0:4] with <- B[0:4]; -> out[0:4] (+) {
              t: c = b * b  with b <- B[i]; c -> out[i] (+)
            }
          }
        }
    )",
                  {});
}

TEST_CASE("A copy within one array, and one from an array without a tangent") {
    checkTangents(R"(
        sdfg f(A, K, out) {
          argument A: float64[6]
          argument K: float64[6]
          argument out: float64[6]
          state first {
            A[0:6] -> out[0:6]
          }
          state second {
            K[0:2] -> out[4:6]
          }
          state third {
            map m[i = 0:6] with <- out[0:6]; -> out[0:6] {
              t: c = b * b  with b <- out[i]; c -> out[i]
            }
          }
        }
    )",
                  {});
}

TEST_CASE("A result that a tasklet may leave as it is") {
    checkTangents(R"(
        sdfg f(A, out) {
          argument A: float64[6]
          argument out: float64[6]
          state first {
            A[0:6] -> out[0:6]
          }
          state second {
            map m[i = 0:6] with <- A[0:6]; -> out[0:6] {
              t with a <- A[i]; b -> out[i] (dynamic) {
                if a > 1:
                    b = a * a
              }
            }
          }
        }
    )",
                  {});
}

TEST_CASE("A nested SDFG has further arguments") {
    checkTangents(R"(
        sdfg f(A, s, out) {
          symbol N: int64
          argument A: float64[N]
          argument s: float64[1]
          argument out: float64[N]
          state main {
            map m[i = 0:N] with <- A[0:N], <- s[0]; -> out[0:N] {
              nested n[M = i] with a <- A[i], c <- s[0]; b -> out[i] {
                sdfg inner(a, c, b) {
                  symbol M, j: int64
                  argument a: float64[1]
                  argument c: float64[1]
                  argument b: float64[1]
                  state first {
                    t: o = sin(p)  with p <- a[0]; o -> b[0]
                  }
                  for j = 0; j < M; j = j + 1 {
                    state step {
                      t: o = p * q  with p <- b[0], q <- c[0]; o -> b[0]
                    }
                  }
                }
              }
            }
          }
        }
    )",
                  {{"N", 4}}, "out", "A s");
}

TEST_CASE("Products are the sum of those with one tangent") {
    checkTangents(R"(
        sdfg f(A, x, out, d) {
          symbol N, M: int64
          argument A: float64[N, M]
          argument x: float64[M]
          argument out: float64[N]
          argument d: float64[1]
          transient y: float64[N]
          state main {
            library blas.MatMul product with _a <- A[0:N, 0:M], _b <- x[0:M]; _c -> y[0:N]
            map m[i = 0:N] with <- y[0:N]; -> out[0:N] {
              t: b = a * a  with a <- y[i]; b -> out[i]
            }
            library blas.Dot dot with _x <- y[0:N], _y <- A[0:N, 0]; _result -> d[0]
          }
        }
    )",
                  {{"N", 3}, {"M", 4}}, "out d", "A x");
}

namespace {

std::string reduction(const std::string &what) {
    return R"(
        sdfg f(A, out) {
          argument A: float64[2, 3]
          argument out: float64[2]
          state begin {
            map m[i = 0:2] with <- A[0:2, 0:3]; -> out[0:2] {
              t: b = a * a * 0.75  with a <- A[i, 0]; b -> out[i]
            }
          }
          state main {
            library standard.Reduce reduce (axes = [1], wcr = "lambda a, b: )" +
           what + R"() with <- A[0:2, 0:3]; -> out[0:2]
          }
        }
    )";
}

} // namespace

TEST_CASE("Reductions: sums, and extrema that several elements are") {
    for (const char *what :
         {"a + b\", identity = \"0\"", "a + b\"", "max(a, b)\", identity = \"-inf\"", "min(a, b)\", identity = \"inf\""}) {
        INFO(what);
        checkTangents(reduction(what), {}, "out", "A", {{"A", {1, 2, 2, 3, 3, 1}}});
    }
}

TEST_CASE("Extrema that what was there before may be") {
    for (const char *what : {"max(a, b)\"", "min(a, b)\""}) {
        INFO(what);
        Differentiated d(reduction(what), "out", "A");
        d.set("A", {1, 2, 1.5, 3, 2.7, 1});
        d.checkTangentsByDifferences();
    }
    Differentiated equal(reduction("max(a, b)\""), "out", "A");
    equal.set("A", {2, 3, 3, 0, 0, 0});
    CHECK(equal.tangent({{"A", {1, 5, 6, 0, 0, 0}}}).at("tangent_out")[0] == Approx((3 + (5 + 6) / 2.0) / 2));
}

TEST_CASE("Factors of matrices, solutions, inverses") {
    const auto program = [](const std::string &node) {
        return R"(
            sdfg f(A, B, out) {
              argument A: float64[3, 3]
              argument B: float64[3, 2]
              argument out: float64[3, 3]
              transient x: float64[3, 3]
              state main {
                )" +
               node + R"(
              }
              state last {
                map m[i = 0:3, j = 0:3] with <- x[0:3, 0:3]; -> out[0:3, 0:3] {
                  t: b = a * a  with a <- x[i, j]; b -> out[i, j]
                }
              }
            }
        )";
    };
    const std::vector<double> positive{4, 1, 0.5, 1, 5, 0.7, 0.5, 0.7, 6};
    checkTangents(program("library linalg.Cholesky c (lower = true) with _a <- A[0:3, 0:3]; _b -> x[0:3, 0:3]"), {}, "out", "A",
                  {{"A", positive}});
    checkTangents(program("library linalg.Inv c with _ain <- A[0:3, 0:3]; _aout -> x[0:3, 0:3]"), {}, "out", "A",
                  {{"A", positive}});
    checkTangents(R"(
        sdfg f(A, B, out) {
          argument A: float64[3, 3]
          argument B: float64[3, 2]
          argument out: float64[3, 2]
          state main {
            library linalg.Solve c with _ain <- A[0:3, 0:3], _bin <- B[0:3, 0:2]; _bout -> out[0:3, 0:2]
          }
        }
    )",
                  {}, "out", "A B", {{"A", positive}});
}

TEST_CASE("What forward mode refuses") {
    const auto errors = [](const std::string &declarations, const std::string &body) {
        return Differentiated("sdfg f(A, out) {\n argument A: float64[4]\n argument out: float64[4]\n" + declarations + body +
                                  "}\n",
                              "out", "A")
            .tangentErrors();
    };
    CHECK(errors("", "state s {\n map m[i = 0:4] with <- A[0:4]; -> out[0:4] (*) {\n t: b = a  with a <- A[i]; b -> out[i // 2] "
                     "(*)\n}\n}\n")
              .starts_with("SD4711"));
    CHECK(
        errors("symbol v: float64\n", "state s {}\n v = A[0]\n state t {\n t: b = v  with b -> out[0]\n}\n").starts_with("SD4710"));
    CHECK(errors("", "state s {\n library fft.FFT t with _inp <- A[0:4]; _out -> out[0:4]\n}\n").starts_with("SD4707"));
    CHECK(errors("", "state s {\n t (CPP): b = a;  with a <- A[0]; b -> out[0]\n}\n").starts_with("SD4705"));
    CHECK(errors("transient tangent_A: float64\n", "state s {\n t: b = a  with a <- A[0]; b -> out[0]\n}\n").starts_with("SD4716"));
}
