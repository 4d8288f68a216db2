// Library nodes whose operands have additional dimensions of one element: parts of larger arrays, and tapes of loops.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

TEST_CASE("gradients of reductions: operands and results that a loop overwrites come from tapes with one dimension more") {
    for (const char *reduction :
         {"a * b\", identity = 1", "max(a, b)\", identity = \"-inf\"", "min(a, b)\", identity = \"inf\"", "a + b\", identity = 0"})
        for (const char *axis : {"0", "1"}) {
            INFO(reduction << " " << axis);
            Differentiated d(
                replaced(R"(
                sdfg r(A, out) {
                  symbol t: int64
                  argument A: float64[4]
                  argument out: float64[$size]
                  transient B: float64[4, 2]
                  transient w: float64[$size]
                  state b {
                    map f[i = 0:4, j = 0:2] with <- A[0:4]; -> B[0:4, 0:2] {
                      c: o = a * (0.7 * j + 1)  with a <- A[i]; o -> B[i, j]
                    }
                  }
                  for t = 0; t < 3; t = t + 1 {
                    state s {
                      library standard.Reduce m (axes = [$axis], wcr = "lambda a, b: $reduction) with <- B[0:4, 0:2]; -> w[0:$size]
                    }
                    state u {
                      map g[j = 0:$size] with <- w[0:$size]; -> out[0:$size] (+) {
                        c: o = a * a  with a <- w[j]; o -> out[j] (+)
                      }
                    }
                    state d {
                      map f[i = 0:4, j = 0:2] with <- B[0:4, 0:2]; -> B[0:4, 0:2] {
                        c: o = sin(a)  with a <- B[i, j]; o -> B[i, j]
                      }
                    }
                  }
                }
            )",
                         {{"$axis", axis}, {"$reduction", reduction}, {"$size", axis == std::string("0") ? "2" : "4"}}),
                "out", "A");
            d.check();
        }
}

TEST_CASE("gradients of transpositions: matrices in larger arrays") {
    for (const char *subsets : {"A[1, 0:3, 0:4]; _out -> out[1, 0:4, 0:3]", "A[0:2, 1, 0:4]; _out -> out[0, 0:4, 0:2]",
                                "A[0:2, 0:3, 2]; _out -> out[1, 0:3, 1:3]"}) {
        INFO(subsets);
        Differentiated d(replaced(R"(
            sdfg t(A, out) {
              argument A: float64[2, 3, 4]
              argument out: float64[2, 4, 3]
              state call {
                library linalg.Transpose t with _inp <- $subsets
              }
            }
        )",
                                  {{"$subsets", subsets}}),
                         "out", "A");
        d.check();
    }
}

TEST_CASE("gradients of loops in segments: what is combined by more than sums goes into a segment with its value") {
    for (const char *update : {"*", "max", "+"})
        for (const char *options : {"", "checkpoints=2"}) {
            INFO(update << " " << options);
            Differentiated d(replaced(R"(
                sdfg c(A, out) {
                  symbol t: int64
                  argument A: float64[4]
                  argument out: float64[1]
                  for t = 0; t < 4; t = t + 1 {
                    state s {
                      c: o = a * a  with a <- A[t]; o -> out[0] ($update)
                    }
                  }
                }
            )",
                                      {{"$update", update}}),
                             "out", "A out", options);
            d.check();
        }
}

TEST_CASE("gradients of products: a transposed matrix times a vector, both parts of larger arrays") {
    Differentiated d(R"(
        sdfg v(A, x, out) {
          argument A: float64[4, 4, 2]
          argument x: float64[4, 2]
          argument out: float64[4, 2]
          state call {
            library blas.Gemv v (transA = true, beta = 0) with _A <- A[0:4, 0:4, 1], _x <- x[0:4, 1]; _y -> out[0:4, 1]
          }
        }
    )",
                     "out", "A x");
    d.check();
}
