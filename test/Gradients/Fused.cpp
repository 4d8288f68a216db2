// Fused maps: one tasklet computes a value and the next one reads it, through a variable of the iteration or an array.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &declarations, const std::string &body) {
    return "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N]\n argument out: float64[N]\n" + declarations + body + "}\n";
}

} // namespace

TEST_CASE("A variable of an iteration in a map of two parameters") {
    checkGradient(program("argument B: float64[N, N]\ntransient t: float64 (Register)\n", R"(
        state main {
          map m[i = 0:N, j = 0:N] with <- A[0:N], <- B[0:N, 0:N]; -> out[0:N] (+) {
            square: o = a * a  with a <- A[i]; o -> t[0]
            add: o = sin(x) * b  with x <- t[0], b <- B[i, j]; o -> out[j] (+)
          }
        }
    )"),
                  {{"N", 4}});
}

TEST_CASE("Neighbours that are added up in variables of the iteration") {
    checkGradient(program("transient s: float64 (Register)\ntransient t: float64 (Register)\n", R"(
        state main {
          map m[i = 1:N - 1] with <- A[0:N]; -> out[1:N - 1] {
            first: o = a + b  with a <- A[i - 1], b <- A[i]; o -> s[0]
            second: o = a + b  with a <- s[0], b <- A[i + 1]; o -> t[0]
            scale: o = 0.25 * x * x  with x <- t[0]; o -> out[i]
          }
        }
    )"),
                  {{"N", 6}});
}

TEST_CASE("An array that a map makes and reads, of operands that are summed over different loops") {
    checkGradient(program("argument B: float64[N]\ntransient d: float64[N, N]\ntransient s: float64 (Register)\n", R"(
        state main {
          map m[i = 0:N, j = 0:N] with <- A[0:N], <- B[0:N]; -> d[0:N, 0:N], -> out[0:N] (+) {
            difference: o = a - b  with a <- A[i], b <- B[j]; o -> new d[i, j]
            square: o = x * x  with x <- d[i, j]; o -> s[0]
            add: o = exp(x)  with x <- s[0]; o -> out[i] (+)
            d[i, j] -> d
          }
        }
        then
        state later {
          map n[i = 0:N, j = 0:N] with <- d[0:N, 0:N]; -> out[0:N] (+) {
            cube: o = x * x * x  with x <- d[i, j]; o -> out[j] (+)
          }
        }
    )"),
                  {{"N", 4}});
}

TEST_CASE("A map that reads the row before the one that it makes, in a loop") {
    checkGradient(program("symbol j: int64\ntransient p: float64[N, N]\n", R"(
        state begin {
          map b[i = 0:N] with <- A[0:N]; -> p[0:N, 0] {
            set: o = a  with a <- A[i]; o -> p[i, 0]
          }
        }
        steps: for j = 1; j < N; j = j + 1 {
          state step {
            map m[i = 0:N] with <- p[0:N, 0:N], <- A[0:N]; -> p[0:N, j], -> out[0:N] {
              next: o = sin(x) * y  with x <- p[i, j - 1], y <- A[i]; o -> new p[i, j]
              again: o = x * y  with x <- p[i, j - 1], y <- p[i, j]; o -> out[i]
              p[i, j] -> p
            }
          }
        }
    )"),
                  {{"N", 4}});
}

TEST_CASE("Sums of neighbours in parts of arrays that iterations of a loop have for themselves") {
    checkGradient(program("symbol t: int64\ntransient a: float64[N]\ntransient o: float64[N]\n", R"(
        steps: for t = 0; t < 2; t = t + 1 {
          state step {
            map first[i = 1:N - 1] with <- A[0:N]; -> a[1:N - 1] {
              square: y = x * x  with x <- A[i]; y -> a[i]
            }
            map add[i = 1:N - 1] with <- a[0:N], <- A[0:N]; -> o[1:N - 1] {
              add: y = x + l * r  with x <- a[i], l <- A[i - 1], r <- A[i + 1]; y -> o[i]
            }
            map last[i = 1:N - 1] with <- o[0:N]; -> out[0:N] (+) {
              sine: y = sin(x)  with x <- o[i]; y -> out[i] (+)
            }
          }
        }
    )"),
                  {{"N", 6}});
}
