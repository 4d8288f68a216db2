// Successive calls: without options, the gradient of an argument is added to the caller's values.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &body) {
    return R"(
        sdfg f(A, B, out) {
          symbol N, i: int64
          argument A: float64[N, N]
          argument B: float64[N, N]
          argument out: float64[N, N]
          transient C: float64[N, N]
          transient s: float64
    )" + body +
           "}\n";
}

const std::string square = R"(
          state end {
            map square[p = 0:N, q = 0:N] with <- C[0:N, 0:N]; -> out[0:N, 0:N] {
              t: o = c * c  with c <- C[p, q]; o -> out[p, q]
            }
          }
)";

struct Example {
    const char *what;
    std::string text;
};

/// Polynomials: for values of few bits, all sums are exact in any order.
const std::vector<Example> examples = {
    {"a map", program(R"(
          state main {
            map m[p = 0:N, q = 0:N] with <- A[0:N, 0:N], <- B[0:N, 0:N]; -> out[0:N, 0:N] {
              t: o = a * a * b  with a <- A[p, q], b <- B[q, p]; o -> out[p, q]
            }
          }
    )")},
    {"a product of matrices", program(R"(
          state main {
            library blas.MatMul product with _a <- A[0:N, 0:N], _b <- B[0:N, 0:N]; _c -> C[0:N, 0:N]
          }
    )" + square)},
    {"a loop with a tape", program(R"(
          state begin {
            t: o = a  with a <- A[0, 0]; o -> s[0]
          }
          for i = 0; i < N; i = i + 1 {
            state step {
              t: o = b * c  with b <- s[0], c <- B[i, 0]; o -> s[0]
            }
          }
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0, 0]
          }
    )")},
    {"a branch that is not taken", program(R"(
          if N > 7 {
            state main {
              t: o = a * b  with a <- A[0, 0], b <- B[0, 0]; o -> out[0, 0]
            }
          }
    )")},
    {"a nested SDFG", program(R"(
          state main {
            map m[p = 0:N] with <- A[0:N, 0:N], <- B[0:N, 0:N]; -> C[0:N, 0:N] {
              nested n[N = N] with a: pointer(float64) <- A[p, 0:N], b: pointer(float64) <- B[p, 0:N]; c: pointer(float64) -> C[p, 0:N] {
                sdfg row(a, b, c) {
                  symbol N: int64
                  argument a: float64[N]
                  argument b: float64[N]
                  argument c: float64[N]
                  state main {
                    map m[q = 0:N] with <- a[0:N], <- b[0:N]; -> c[0:N] {
                      t: o = x * y  with x <- a[q], y <- b[q]; o -> c[q]
                    }
                  }
                }
              }
            }
          }
    )" + square)},
};

/// Multiples of 1/8 between -2 and 2.
std::vector<double> numbers(std::size_t n, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<double> out;
    for (std::size_t k = 0; k < n; ++k)
        out.push_back(static_cast<double>(random() % 33) / 8 - 2);
    return out;
}

} // namespace

TEST_CASE("Calls add up what gradients they find") {
    for (const Example &e : examples) {
        INFO(e.what);
        Differentiated d(e.text, "out", "A B");
        d.set("N", 3).set("A", numbers(9, 1)).set("B", numbers(9, 2));
        const Arrays weights{{"out", numbers(9, 3)}};
        const Arrays alone = d.run(d.input(), weights);
        Arrays given = d.input();
        given["gradient_A"] = numbers(9, 4);
        given["gradient_B"] = numbers(9, 5);
        const Arrays once = d.run(given, weights);
        Arrays again = d.input();
        for (const char *gradient : {"gradient_A", "gradient_B"})
            again[gradient] = once.at(gradient);
        const Arrays twice = d.run(again, weights);
        for (const char *gradient : {"gradient_A", "gradient_B"})
            for (std::size_t k = 0; k < 9; ++k) {
                INFO(gradient << "[" << k << "]");
                CHECK(once.at(gradient)[k] == given.at(gradient)[k] + alone.at(gradient)[k]);
                CHECK(twice.at(gradient)[k] == given.at(gradient)[k] + 2 * alone.at(gradient)[k]);
            }
    }
}

TEST_CASE("Calls that begin with zero forget what they find") {
    for (const Example &e : examples) {
        INFO(e.what);
        Differentiated d(e.text, "out", "A B", "init=zero");
        d.set("N", 3).set("A", numbers(9, 1)).set("B", numbers(9, 2));
        const Arrays weights{{"out", numbers(9, 3)}};
        Arrays given = d.input();
        given["gradient_A"] = numbers(9, 4);
        given["gradient_B"] = numbers(9, 5);
        const Arrays alone = d.run(d.input(), weights), found = d.run(given, weights);
        for (const char *gradient : {"gradient_A", "gradient_B"})
            CHECK(found.at(gradient) == alone.at(gradient));
    }
}
