// Updates that are not sums: successive ones, and those of map iterations.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &body, const std::string &more = "") {
    return "sdfg f(A, y) {\n symbol N, M, j: int64\n argument A: float64[N, M]\n argument y: float64[N]\n" + more + body + "}\n";
}

/// A map in a state whose iterations update an element of y.
std::string updating(const std::string &params, const std::string &value, const std::string &element, const std::string &how) {
    return "state s {\n map m[" + params + "] with <- A[0:N, 0:M]; -> y[0:N] " + how + " {\n t: o = " + value +
           "  with a <- A[i, j]; o -> y[" + element + "] " + how + "\n }\n }\n";
}

void check(const std::string &text, const std::vector<double> &a = {}) {
    INFO(text);
    Differentiated d(text, "y", "A y");
    d.set("N", 2).set("M", 3);
    if (!a.empty())
        d.set("A", a);
    d.check();
}

std::string errors(const std::string &text) { return Differentiated(text, "y", "A y").errors(); }

const char *const functions[] = {"(*)", "(max)", "(min)"};

} // namespace

TEST_CASE("Factors in a sequential loop") {
    for (const char *how : functions)
        check(program("for j = 0; j < M; j = j + 1 {\n" + updating("i = 0:N", "a * a", "i", how) + "}\n"));
    // The entire loop updates one element, whose value is also read in between.
    check(program(R"(
        for j = 0; j < M; j = j + 1 {
          state update {
            t: o = a  with a <- A[0, j]; o -> y[0] (*)
          }
          state read {
            u: o = sin(a)  with a <- y[0]; o -> y[1] (+)
          }
        }
    )"));
}

TEST_CASE("Factors of iterations of a map") {
    for (const char *how : functions) {
        // For each i, one iteration updates an element, or all iterations of j do.
        check(program(updating("i = 0:N, j = 0:M", "sin(a)", "i", how)));
        check(program(updating("j = 0:M, i = 0:N", "sin(a)", "i", how)));
        check(program(updating("i = 0:N, j = 1:M", "sin(a)", "0", how)));
        check(program(updating("i = 1:N, j = 0:M", "sin(a)", "i - 1", how)));
        check(program(updating("i = 0:N, j = 1:2", "sin(a)", "i", how)));
    }
}

TEST_CASE("Products with zeros among the factors") {
    for (const std::vector<double> &a : {std::vector<double>{0, 2, 3, 4, 5, 6}, {0, 2, 0, 4, 0, 6}})
        check(program(updating("i = 0:N, j = 0:M", "a", "i", "(*)")), a);
}

TEST_CASE("Updates of what an iteration has for itself") {
    check(program(R"(
        state s {
          map m[i = 0:N] with <- A[0:N, 0:M]; -> y[0:N] {
            b: o = 1.5  with o -> p
            map n[k = 0:M] with <- A[i, 0:M], after @p; -> p (*) {
              t: o = a * a  with a <- A[i, k]; o -> p (*)
            }
            e: o = sin(a)  with a <- p; o -> y[i]
          }
        }
    )",
                  " transient p: float64\n"));
}

TEST_CASE("Updates with functions of the user, and copies that update") {
    check(program("for j = 0; j < M; j = j + 1 {\n" + updating("i = 0:N", "a", "i", "(wcr = \"lambda p, q: p + sin(p * q)\")") +
                  "}\n"));
    check(program("state s {\n A[0:N, 1] -> y[0:N] (*)\n}\n"));
}

TEST_CASE("Updates that meet in no way that is known are refused") {
    CHECK(errors(program(updating("i = 0:N, j = 0:M", "a", "i + j", "(*)"))) ==
          "SD4711 the update of `y` cannot be differentiated: `(lambda x, y: (x * y))` is not a sum");
    CHECK(errors(program(updating("i = 0:N, j = 0:M", "a", "i", "(wcr = \"lambda p, q: p + sin(p * q)\")"))).starts_with("SD4711"));
    // The bounds of one map depend on the other one, so the collected set is not a box.
    CHECK(errors(program(updating("i = 0:N, j = 0:i", "a", "i", "(*)"))).starts_with("SD4711"));
}
