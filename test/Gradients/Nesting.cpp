// Nested SDFGs, and views of views.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

/// A nested SDFG `label` that computes `to` from `from`, which it calls Q and P, with `body`. `more`: further symbols, after a
/// comma.
std::string nested(const std::string &label, const std::string &from, const std::string &to, const std::string &body,
                   const std::string &more = "") {
    return replaced(R"(
        nested $label[N = N] with P: pointer(float64) <- $from[0:N]; Q: pointer(float64) -> $to[0:N] {
          sdfg in_$label(P, Q) {
            symbol N$more: int64
            argument P: float64[N]
            argument Q: float64[N]
            transient T: float64[N]
            transient U: float64[N]
            $body
          }
        }
    )",
                    {{"$label", label}, {"$from", from}, {"$to", to}, {"$more", more}, {"$body", body}});
}

std::string map(const std::string &label, const std::string &from, const std::string &to, const std::string &code) {
    return replaced("state $label {\n map m[p = 0:N] with <- $from[0:N]; -> $to[0:N] {\n t: o = $code  with x <- $from[p]; o -> "
                    "$to[p]\n}\n}\n",
                    {{"$label", label}, {"$from", from}, {"$to", to}, {"$code", code}});
}

std::string state(const std::string &label, const std::string &body) { return "state " + label + " {\n" + body + "}\n"; }

std::string program(const std::string &body) {
    return "sdfg f(P, Q) {\n symbol N: int64\n argument P: float64[N]\n argument Q: float64[N]\n transient T: float64[N]\n"
           " transient U: float64[N]\n" +
           body + "}\n";
}

/// Each neighbour is multiplied in a loop that overwrites Q, so values of Q are stored.
const std::string recurrence = map("begin", "P", "Q", "cos(x) * x") + R"(
            for k = 1; k < N; k = k + 1 {
              state step {
                t: o = sin(a * b)  with a <- Q[k - 1], b <- Q[k]; o -> Q[k]
              }
            }
)";

std::string recurrent(const std::string &label, const std::string &from, const std::string &to) {
    return nested(label, from, to, recurrence, ", k");
}

} // namespace

TEST_CASE("SDFGs three deep, with values of their own on every level") {
    const std::string third = state("call", recurrent("c", "T", "U"));
    const std::string second = state(
        "call", nested("b", "T", "U", map("before", "P", "T", "exp(x) * 0.25") + third + map("after", "U", "Q", "x * x + sin(x)")));
    const std::string first =
        map("before", "P", "T", "sin(x)") +
        state("call", nested("a", "T", "U", map("before", "P", "T", "x * x") + second + map("after", "U", "Q", "x * sin(x)"))) +
        map("after", "U", "Q", "x * x");
    checkGradient(program(first), {{"N", 4}}, "Q", "P");
}

TEST_CASE("One SDFG by two nodes") {
    // Applied to its own result, and to the same argument twice.
    checkGradient(program(state("first", recurrent("n", "P", "T")) + state("second", recurrent("n", "T", "Q"))), {{"N", 4}}, "Q",
                  "P");
    checkGradient(
        program(state("both", recurrent("n", "P", "T") + recurrent("n", "P", "U")) +
                state("product", "map m[p = 0:N] with <- T[0:N], <- U[0:N]; -> Q[0:N] {\n t: o = a * b  with a <- T[p], b "
                                 "<- U[N - 1 - p]; o -> Q[p]\n}\n")),
        {{"N", 4}}, "Q", "P");
}

namespace {

/// A program whose state `main` computes `out` from A.
std::string viewing(const std::string &declarations, const std::string &body) {
    return "sdfg f(A, out) {\n argument A: float64[2, 6]\n argument out: float64[12]\n transient T: float64[12]\n" + declarations +
           body + "}\n";
}

} // namespace

TEST_CASE("Views of views") {
    const std::string views = "view V: float64[12]\nview W: float64[3, 4]\nview X: float64[4]\n";
    // Read through two views, and through three, the last of which is a row.
    checkGradient(viewing(views, R"(
        state main {
          A[0:2, 0:6] -> new V:views
          V[0:12] -> new W:views
          map m[p = 0:3, q = 0:4] with <- W[0:3, 0:4]; -> out[0:12] {
            t: o = sin(w) * w  with w <- W[p, q]; o -> out[4 * p + q]
          }
        }
    )"),
                  {});
    checkGradient(viewing(views, R"(
        state main {
          A[0:2, 0:6] -> new V:views
          V[0:12] -> new W:views
          W[1, 0:4] -> new X:views
          map m[p = 0:4] with <- X[0:4]; -> out[0:4] {
            t: o = exp(x) * x  with x <- X[p]; o -> out[p]
          }
        }
    )"),
                  {});
    // Written through two views, overwritten in a loop, and read.
    checkGradient(viewing("symbol k: int64\n" + views, R"(
        state copy {
          map m[p = 0:2, q = 0:6] with <- A[0:2, 0:6]; -> T[0:12] {
            t: o = a * a  with a <- A[p, q]; o -> T[6 * p + q]
          }
        }
        for k = 0; k < 3; k = k + 1 {
          state step {
            T[0:12] -> new W:views
            map m[p = 0:4] with <- W[k, 0:4]; -> out[4 * k:4 * k + 4] {
              t: o = sin(w)  with w <- W[k, p]; o -> out[4 * k + p]
            }
          }
          state change {
            map m[p = 0:4] with <- out[4 * k:4 * k + 4]; -> W[(k + 1) % 3, 0:4] {
              t: o = x * x  with x <- out[4 * k + p]; o -> W[(k + 1) % 3, p]
            }
            @W:views -> T[0:12]
          }
        }
    )"),
                  {});
}

TEST_CASE("A view of the transpose") {
    checkGradient(viewing("view V: float64[6, 2] (strides = [1, 6])\n", R"(
            state main {
              A[0:2, 0:6] -> new V:views
              map m[p = 0:6, q = 0:2] with <- V[0:6, 0:2], <- A[0:2, 0:6]; -> out[0:12] {
                t: o = sin(v) * a  with v <- V[p, q], a <- A[q, 5 - p]; o -> out[2 * p + q]
              }
            }
        )"),
                  {});
}

TEST_CASE("Nested SDFGs that add to what is outside") {
    const auto summing = [](const char *around, const char *to) {
        return std::string(R"(
            sdfg f(A, B, out) {
              symbol N: int64
              argument A: float64[N]
              argument B: float64[N]
              argument out: float64[N]
              transient s: float64[N]
              state begin {
                map m[i = 0:N] with <- B[0:N]; -> s[0:N] {
                  t: o = b  with b <- B[i]; o -> s[i]
                }
              }
              then
              state main {
                map outer[i = 0:N] ()") +
               around + R"() with <- A[0:N]; -> s[0:N] (+) {
                  nested body[N = N] with P: pointer(float64) <- A[0:N], a: float64 <- A[i]; r: float64 -> s[)" +
               to + R"(] (+, dynamic) {
                    sdfg body {
                      symbol N: int64
                      argument P: float64[N]
                      argument a: float64
                      argument r: float64
                      if a > 0.8 {
                        state large {
                          t: o = sin(x) * p  with x <- a[0], p <- P[0]; o -> r[0] (+)
                        }
                        then
                        state more {
                          map inside[k = 0:N] with <- P[0:N]; -> r[0] (+) {
                            t: o = p * p  with p <- P[k]; o -> r[0] (+)
                          }
                        }
                      }
                    }
                  }
                }
              }
              then
              state end {
                map m[i = 0:N] with <- s[0:N]; -> out[0:N] {
                  t: o = x * x  with x <- s[i]; o -> out[i]
                }
              }
            }
        )";
    };
    for (const char *around : {"CPU_Multicore", "Sequential"})
        for (const char *to : {"0", "i", "i // 2"}) {
            INFO(around << " " << to);
            for (const int64_t n : {1, 5})
                checkGradient(summing(around, to), {{"N", n}}, "out", "A B");
        }
}
