// Graphs of Python programs that other tools differentiate incorrectly: each is correct here, or refused with its error code.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &body, const std::string &more = "") {
    return "sdfg f(A, idx, out) {\n symbol N, i, j, k: int64\n argument A: float64[N]\n argument idx: int64[N]\n"
           " argument out: float64[N]\n" +
           more + body + "}\n";
}

void check(const std::string &body, const std::string &more = "", const std::string &wrt = "A out",
           const std::vector<double> &idx = {3, 0, 3, 1, 4}) {
    Differentiated d(program(body, more), "out", wrt);
    d.set("N", 5).set("idx", idx).check();
}

/// `for i in range(...): out[0] = sin(out[0] * A[i])`
std::string overElements(const std::string &head) {
    return head + " {\n state step {\n t: o = sin(b * a)  with b <- out[0], a <- A[i]; o -> out[0]\n }\n}\n";
}

} // namespace

TEST_CASE("Loops with strides, whose last element is not their end") {
    for (const char *head : {"for i = 0; i < 5; i = i + 2", "for i = 0; i < 4; i = i + 3", "for i = 4; i > -1; i = i - 2",
                             "for i = 0; i <= 4; i = i + 2", "for i = 4; i >= 1; i = i - 1", "for i = N - 1; i > -1; i = i - 2"}) {
        INFO(head);
        check(overElements(head));
    }
}

TEST_CASE("A condition on an element, in a loop that changes it") {
    check(R"(
        for i = 0; i < N; i = i + 1 {
          if A[i] > 0.9 {
            state big {
              t: o = b * a * a  with b <- out[i], a <- A[i]; o -> out[i]
            }
          }
          state change {
            t: o = a * 0.25  with a <- A[i]; o -> A[i]
          }
        }
    )");
}

TEST_CASE("One container, read several times in one map") {
    check(R"(
        state main {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: o = a * b * c  with a <- A[i], b <- A[i], c <- A[N - 1 - i]; o -> out[i]
          }
        }
    )");
}

TEST_CASE("Gather, gather of gather, and scatter") {
    check(R"(
        state main {
          map m[i = 0:N] with <- A[0:N], <- idx[0:N]; -> out[0:N] {
            t: o = sin(a[p])  with a: pointer(float64) <- A[0:N], p <- idx[i]; o -> out[i]
          }
        }
    )");
    check(R"(
        state main {
          map m[i = 0:N] with <- A[0:N], <- idx[0:N]; -> out[0:N] {
            t: o = a[p[p[i]]] ** 2  with a: pointer(float64) <- A[0:N], p: pointer(int64) <- idx[0:N]; o -> out[i]
          }
        }
    )");
    check(R"(
        for i = 0; i < N; i = i + 1 {
          state step {
            t: o[p] = a * a  with a <- A[i], p <- idx[i]; o: pointer(float64) -> out[0:N] (dynamic)
          }
        }
    )");
    check(R"(
        state begin {}
        k = idx[2]
        state step {
          t: o = b * sin(a)  with a <- A[k], b <- out[k]; o -> out[k]
        }
    )");
}

TEST_CASE("Functions with corners, remainders, and choices on comparisons") {
    for (const char *code :
         {"abs(a - 1)", "sign(a - 1) * a", "floor(2 * a) * a", "(3 * a) % 1.0", "atan2(a, 2 * a * a)", "int(3 * a) * a",
          "a * a if a > 1 else sin(a)", "erf(a)", "max(a, 1.01) * min(a, 0.99)", "a // 0.3 + a"}) {
        INFO(code);
        check("state main {\n map m[i = 0:N] with <- A[0:N]; -> out[0:N] {\n t: o = " + std::string(code) +
              "  with a <- A[i]; o -> out[i]\n }\n}\n");
    }
}

TEST_CASE("Names with words of the language in them") {
    check(R"(
        state main {
          t1: o = a * a  with a <- A[0]; o -> diff_if_for[0]
          t2: o = sin(a)  with a <- diff_if_for[0]; o -> out[1]
        }
    )",
          "transient diff_if_for: float64\n");
}

TEST_CASE("A symbol that gets another value between two branches") {
    check(R"(
        state begin {}
        k = idx[0]
        state between {}
        if k > 2 {
          state first {
            t: o = a * a  with a <- A[k]; o -> out[0]
          }
        }
        k = idx[1]
        state more {}
        if k > 2 {
          state second {
            t: o = a * a  with a <- A[k]; o -> out[1]
          }
        } else {
          state third {
            t: o = sin(a) * b  with a <- A[k], b <- out[0]; o -> out[0]
          }
        }
    )");
}

TEST_CASE("Branches that give a symbol different values, in a loop") {
    const std::string text = R"(
        for i = 0; i < N; i = i + 1 {
          state begin {}
          if idx[i] > 2 {
            state a {}
            k = i
            state b {}
          } else {
            state c {}
            k = 0
            state d {}
          }
          state step {
            t: o = sin(b * a)  with b <- out[0], a <- A[k]; o -> out[0]
          }
        }
    )";
    check(text);
}

TEST_CASE("A result in one branch only") {
    check(R"(
        if N > 7 {
          state main {
            t: o = a * a  with a <- A[0]; o -> out[0]
          }
        }
    )");
}

TEST_CASE("Loops that do not run, and maps without iterations") {
    check(overElements("for i = 3; i < 3; i = i + 1"));
    check(R"(
        state main {
          map m[i = 2:2] with <- A[0:N]; -> out[0:N] {
            t: o = a * a  with a <- A[i]; o -> out[i]
          }
        }
    )");
}

TEST_CASE("Two arrays that change places") {
    check(R"(
        state main {
          A[0:N] -> new T[0:N]
        }
        state there {
          out[0:N] -> A[0:N]
        }
        state back {
          T[0:N] -> out[0:N]
        }
        state end {
          map m[i = 0:N] with <- out[0:N], <- A[0:N]; -> out[0:N] {
            t: o = a * b  with a <- out[i], b <- A[i]; o -> out[i]
          }
        }
    )",
          "transient T: float64[N]\n");
}

TEST_CASE("A view of another shape") {
    check(R"(
        state main {
          A[0:4] -> new V:views
          t with a: pointer(float64) <- V[0:2, 0:2]; o -> out[0] {
            o = a[0, 1] * a[1, 0] + a[1, 1]
          }
        }
    )",
          "view V: float64[2, 2]\n");
}

TEST_CASE("Rows of a sparse matrix, whose lengths edges read") {
    check(R"(
        for i = 0; i < N - 1; i = i + 1 {
          state begin {}
          j = idx[i]
          state between {}
          k = idx[i + 1]
          state row {
            map m[p = 0:k-j] with <- A[j:k]; -> new T[0:k-j] {
              t: o = sin(a)  with a <- A[j + p]; o -> T[p]
            }
            map sum[p = 0:k-j] with <- T[0:k-j], <- A[j:k]; -> out[i] (+) {
              t: o = a * b  with a <- T[p], b <- A[j + p]; o -> out[i] (+)
            }
          }
        }
    )",
          "transient T: float64[k - j]\n", "A out", {0, 2, 2, 3, 5});
}

TEST_CASE("Loops that end early") {
    const std::string ending = R"(
        for i = 0; i < N; i = i + 1 {
          state step {
            t: o = sin(b * a)  with b <- out[0], a <- A[i]; o -> out[0]
          }
          if out[0] > 0.9 {
    )";
    for (const char *jump : {"break", "continue", "return"}) {
        INFO(jump);
        check(ending + jump + "\n}\n}\n");
    }
}

TEST_CASE("A result that one branch alone writes, and which is taken") {
    for (const char *condition : {"N > 3", "A[0] > 0", "idx[0] == 3"}) {
        INFO(condition);
        const std::string body = replaced(R"(
            if $condition {
              state main {
                map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
                  t: o = sin(a) * a  with a <- A[i]; o -> out[i]
                }
              }
            }
        )",
                                          {{"$condition", condition}});
        check(body, "", "A");
        check(body);
        Differentiated d(program(body), "out", "A");
        d.set("N", 5).set("idx", std::vector<double>{3, 0, 3, 1, 4});
        const Arrays gradients = d.run(d.input(), {{"out", std::vector<double>(5, 1)}});
        for (const double g : gradients.at("gradient_A"))
            CHECK(g > 0.5); // the branch is taken
    }
}
