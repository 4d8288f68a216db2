// Custom rules for gradients of tasklets and library nodes.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

/// A rule as the text of a JSON string.
std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '\n' ? std::string("\\n") : c == '"' ? std::string("\\\"") : std::string(1, c);
    return out + "\"";
}

/// Of y = x^3, element by element or for the entire array. `shape`: of the arguments.
std::string cube(const std::string &shape, const std::string &more = "",
                 const std::string &arguments = "x, gradient_y, gradient_x") {
    const std::string type = "float64[" + shape + "]";
    return "sdfg cube(" + arguments + ") {\n" + (shape == "K" ? " symbol K: int64\n" : "") + " argument x: " + type +
           "\n argument gradient_y: " + type + "\n argument gradient_x: " + type + "\n" + more +
           " state s {\n map m[k = 0:" + shape + "] with <- x[0:" + shape + "], <- gradient_y[0:" + shape +
           "]; -> gradient_x[0:" + shape +
           "] {\n t: o = 3 * a * a * g  with a <- x[k], g <- gradient_y[k]; o -> gradient_x[k]\n }\n }\n}\n";
}

std::string program(const std::string &rule, const std::string &body) {
    return "sdfg f(A, out) (\"gradient_rules\" = {\"cube\": " + quoted(rule) +
           "}) {\n symbol N, j: int64\n argument A: float64[N, N]\n argument out: float64[N]\n transient T: float64[N]\n" + body +
           "}\n";
}

const std::string elementwise = R"(
    state s {
      map m[i = 0:N] with <- A[0:N, 0:N]; -> out[0:N] {
        t ("gradient" = cube): y = x * x * x  with x <- A[i, 1]; y -> out[i]
      }
    }
)";

std::string errors(const std::string &text) { return Differentiated(text, "out", "A").errors(); }

void check(const std::string &text) {
    INFO(text);
    Differentiated d(text, "out", "A");
    d.set("N", 3);
    d.checkGradients();
}

} // namespace

TEST_CASE("A rule for a tasklet in a map, in a loop, and for what it overwrites") {
    check(program(cube("1"), elementwise));
    check(program(cube("1"), R"(
        state first {
          A[0:N, 0] -> T[0:N]
        }
        for j = 0; j < N; j = j + 1 {
          state step {
            t ("gradient" = cube): y = x * x * x  with x <- T[0]; y -> T[1]
            u: o = a + b  with a <- T[1], b <- A[0, j]; o -> T[0]
          }
        }
        state last {
          T[0:N] -> out[0:N]
        }
    )"));
}

TEST_CASE("A rule for a tasklet that overwrites its operand, in branches") {
    check(program(cube("1"), R"(
        state first {
          A[0:N, 0] -> T[0:N]
        }
        for j = 0; j < N; j = j + 1 {
          if T[0] > 0.7  {
            state step {
              t ("gradient" = cube): y = x * x * x  with x <- T[0]; y -> T[0]
            }
          }
          state add {
            u: o = a + b  with a <- T[0], b <- A[1, j]; o -> T[0]
          }
        }
        state last {
          T[0:N] -> out[0:N]
        }
    )"));
}

TEST_CASE("A rule for a tasklet that has a whole row, or a column") {
    const auto whole = [](const std::string &part) {
        return program(cube("K"), R"(
            state s {
              t ("gradient" = cube) with x <- A[)" +
                                      part + R"(]; y -> out[0:N] {
                for q in range(N):
                  y[q] = x[q] * x[q] * x[q]
              }
            }
        )");
    };
    check(whole("1, 0:N"));
    check(whole("0:N, 1"));
}

TEST_CASE("A rule for a library node") {
    check(program(
        R"(sdfg twice(_y, gradient__res, gradient__x, gradient__y) {
        symbol K: int64
        argument _y: float64[K]
        argument gradient__res: float64[K]
        argument gradient__x: float64[K]
        argument gradient__y: float64[K]
        state s {
          map m[k = 0:K] with <- gradient__res[0:K]; -> gradient__x[0:K], -> gradient__y[0:K] {
            t: o = 2 * g; p = g  with g <- gradient__res[k]; o -> gradient__x[k], p -> gradient__y[k]
          }
        }
      })",
        "state s {\n library blas.Axpy a (a = 2, gradient = cube) with _x <- A[0, 0:N], _y <- A[1, 0:N]; _res -> out[0:N]\n}\n"));
}

TEST_CASE("Rules that do not fit") {
    const std::string begin = "SD4707 there is no derivative of `t`: the rule `cube` does not match: ";
    CHECK(errors("sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N, N]\n argument out: float64[N]\n" + elementwise +
                 "}\n") == begin + "there is no such rule");
    CHECK(errors(program(cube("1", "argument z: float64\n"), elementwise)) == begin + "the node has no connector `z`");
    CHECK(errors(program(cube("2"), elementwise)) == begin + "`x` has 1 dimension, not 0");
    CHECK(errors(program("sdfg cube(x, gradient_x) {\n argument x: float64\n argument gradient_x: float64[1]\n state s {}\n}\n",
                         elementwise)) == begin + "it has no `gradient_y`");
    CHECK(errors(program("sdfg cube(gradient_y) {\n argument gradient_y: float64\n state s {}\n}\n", elementwise)) ==
          begin + "it has no `gradient_x`");
    CHECK(errors(program("sdfg cube(gradient_y, gradient_x) {\n argument gradient_y: float32\n argument gradient_x: float64[1]\n"
                         " state s {}\n}\n",
                         elementwise)) == begin + "`gradient_y` is of type float32, not float64");
    CHECK(errors(program("sdfg cube(gradient_y, gradient_x) {\n symbol Q: int64\n argument gradient_y: float64\n"
                         " argument gradient_x: float64[1]\n state s {\n t: o = Q  with o -> gradient_x[0]\n }\n}\n",
                         elementwise)) == begin + "its symbol `Q` is neither a symbol of the program nor a size of an argument");
    CHECK(errors(program("sdfg cube(", elementwise)).find(begin + "it cannot be read") != std::string::npos);
}

TEST_CASE("Tangents do not use rules for gradients") {
    CHECK(Differentiated(program(cube("1"), R"(
        state s {
          t (CPP, "gradient" = cube): y = x * x * x;  with x <- A[0, 0]; y -> out[0]
        }
    )"),
                         "out", "A")
              .tangentErrors()
              .starts_with("SD4707"));
}

TEST_CASE("What a branch computes and its gradient reads is computed again where that is") {
    for (const char *value :
         {"max((a if N < 3 else (a * 0.25 * (a % 5.0))), a) * a", "max(0.3, (sin(a) * a if a < 1 else a * a * 0.25)) * a",
          "(a * a * a if N > 3 else max(a * sin(a) * 2, cos(a))) * a"}) {
        INFO(value);
        for (const int64_t n : {2, 5}) {
            Differentiated d(
                "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[4]\n argument out: float64[1]\n state s {\n t: o = " +
                    std::string(value) + "  with a <- A[2]; o -> out[0]\n}\n}\n",
                "out", "A");
            d.set("N", n).check();
        }
    }
}
