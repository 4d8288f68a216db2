// Loops whose number of iterations is unknown in advance: the iterations are counted, and tapes have space for them.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

/// A program that begins with s = A[0], which ends as out = s * s.
std::string program(const std::string &body, const std::string &more = "") {
    return R"(
        sdfg f(A, K, out) {
          symbol N, i, j, k: int64
          argument A: float64[N]
          argument K: int64[N]
          argument out: float64[1]
          transient s: float64
    )" + more +
           R"(
          state begin {
            t: o = a  with a <- A[0]; o -> s[0]
          }
    )" + body +
           R"(
          state end {
            t: o = a * a + b * 0  with a <- s[0], b <- A[N - 1]; o -> out[0]
          }
        }
    )";
}

std::string step(const std::string &label, const std::string &element = "A[0]") {
    return "state " + label + " {\n t: o = sin(b) * c * 0.6  with b <- s[0], c <- " + element + "; o -> s[0]\n}\n";
}

/// The gradient is correct for several sizes, and its tapes have the given names and sizes.
void check(const std::string &body, const std::string &tapes, const std::string &more = "",
           const std::vector<double> &bounds = {3, 0, 5, 1, 2}) {
    INFO(body);
    for (const int64_t n : {1, 2, 5}) {
        INFO("N = " << n);
        Differentiated d(program(body, more), "out", "A");
        d.set("N", n).set("K", std::vector<double>(bounds.begin(), bounds.begin() + n)).check();
        CHECK(d.tapes() == tapes);
    }
}

} // namespace

TEST_CASE("A loop until it converges") {
    check("while s > 0.3 {\n" + step("a") + "}\n", "tape_s[loop_iterations, 1], tape_last[1]");
    check("while s > 5 {\n" + step("a") + "}\n", "tape_s[loop_iterations, 1], tape_last[1]"); // never
}

TEST_CASE("A loop whose gradient needs no tape runs once") {
    Differentiated d(program("while s > 0.3 {\n state a {\n t: o = b / 2  with b <- s[0]; o -> s[0]\n}\n}\n"), "out", "A");
    d.set("N", 3).set("K", std::vector<double>{0, 0, 0}).check();
    CHECK(d.tapes() == "tape_last[1]");
    CHECK(d.text().find("nested") == std::string::npos);
}

TEST_CASE("A loop that is tested at its end") {
    check("l (inverted): while s > 0.3 {\n" + step("a") + "}\n", "tape_s[l_iterations, 1], tape_last[1]");
    check("l (inverted): while s > 5 {\n" + step("a") + "}\n", "tape_s[l_iterations, 1], tape_last[1]");
}

TEST_CASE("A loop until it converges, in another one") {
    check("for i = 0; i < N; i = i + 1 {\nstate more {\n t: o = b + c  with b <- s[0], c <- A[i]; o -> s[0]\n}\n inner: while s > "
          "0.3 "
          "{\n" +
              step("a", "A[i]") + "}\n}\n",
          "tape_s[N, inner_iterations, 1], tape_last[N]");
    check("outer: while s > 0.1 {\n inner: while s > 0.3 {\n" + step("a") + "}\n" + step("b") + "}\n",
          "tape_s[outer_iterations, 1], tape_s_0[outer_iterations, inner_iterations, 1], tape_last[outer_iterations], "
          "tape_last_0[1]");
}

TEST_CASE("A loop until it converges, in a branch") {
    check("if A[0] > 0.9 {\n inner: while s > 0.3 {\n" + step("a") + "}\n}\n", "tape_s[inner_iterations, 1], tape_last[1]");
    check("if A[0] > 5 {\n inner: while s > 0.3 {\n" + step("a") + "}\n}\n", "tape_s[inner_iterations, 1], tape_last[1]");
}

TEST_CASE("A loop with a variable, but without an end") {
    check("for i = N - 1; s > 0.3; i = i - 1 {\n" + step("a") + "}\n", "tape_s[loop_iterations, 1], tape_last[1]");
    check("for i = 2; K[0] + 3 > i; i = i + 1 {\n" + step("a") + "state count {\n t: o = q - 1  with q <- K[0]; o -> K[0]\n}\n}\n",
          "tape_s[loop_iterations, 1], tape_last[1]");
}

TEST_CASE("A loop that a break ends") {
    check("while True {\n" + step("a") + "if s < 0.3 {\nbreak\n}\nstate more {\n t: o = b * 0.9  with b <- s[0]; o -> s[0]\n}\n}\n",
          "tape_branch[loop_iterations], tape_s[loop_iterations, 1], tape_last[1]");
}

TEST_CASE("Bounds that change while the loop around runs") {
    check("for i = 0; i < N; i = i + 1 {\n inner: for j = 0; j < K[0]; j = j + 1 {\n" + step("a", "A[i]") +
              "}\nstate next {\n t: o = (3 * q + 1) % 5  with q <- K[0]; o -> K[0]\n}\n}\n",
          "tape_s[N, inner_iterations, 1], tape_last[N]");
}

TEST_CASE("Symbols that a counted loop changes") {
    check("k = 0\nstate between {}\nwhile s > 0.3 + 0.01 * k {\n" + step("a") + "k = k + 1\nstate last {}\n}\n",
          "tape_s[loop_iterations, 1], tape_last[1]");
}

TEST_CASE("Arrays that a counted loop changes") {
    const std::string body = R"(
      state first {
        map m[p = 0:N] with <- A[0:N]; -> X[0:N] {
          t: o = a + 0.5  with a <- A[p]; o -> X[p]
        }
      }
      while s > 0.3 {
        state step {
          map m[p = 0:N] with <- X[0:N], <- A[0:N]; -> Y[0:N] {
            t: o = sin(x) * a * 0.6  with x <- X[p], a <- A[p]; o -> Y[p]
          }
          map m[p = 0:N] with <- Y[0:N]; -> X[0:N] {
            t: o = y * y  with y <- Y[p]; o -> X[p]
          }
          t: o = x + 0 * y  with x <- X[0], y <- X[N - 1]; o -> s[0]
        }
      }
    )";
    check(body, "tape_X[loop_iterations, N], tape_last[1]", "transient X: float64[N]\ntransient Y: float64[N]\n");
}

TEST_CASE("A loop until it converges, in a nested SDFG in a map") {
    const std::string body = R"(
      state main {
        map m[p = 0:N] with <- A[0:N]; -> B[0:N] {
          nested g with a: pointer(float64) <- A[p]; b: pointer(float64) -> B[p] {
            sdfg g(a, b) {
              argument a: float64[1]
              argument b: float64[1]
              state begin {
                t: o = x  with x <- a[0]; o -> b[0]
              }
              while b[0] > 0.3 {
                state step {
                  t: o = sin(x) * y * 0.6  with x <- b[0], y <- a[0]; o -> b[0]
                }
              }
            }
          }
        }
        map sum[p = 0:N] with <- B[0:N]; -> s[0] (+) {
          t: o = b * b  with b <- B[p]; o -> s[0] (+)
        }
      }
    )";
    check(body, "", "transient B: float64[N]\n");
}

TEST_CASE("Bounds that are elements of an array") {
    const std::string inner = "inner: for j = 0; j < K[i]; j = j + 1 {\n" + step("a", "A[i]") + "}\n";
    const std::string body = "for i = 0; i < N; i = i + 1 {\n" + inner + "}\n";
    check(body, "tape_s[N, inner_iterations, 1]");
    const auto text = [](const std::string &of) { return Differentiated(program(of), "out", "A").text(); };
    CHECK(text(body).find("max") != std::string::npos); // a map computes the required space
    CHECK(text(body).find("nested") == std::string::npos);
    check("for i = N - 1; i >= 0; i = i - 1 {\n" + inner + "}\n", "tape_s[N, inner_iterations, 1]");
    check("for i = 0; i < N; i = i + 2 {\n" + inner + "}\n", "tape_s[(N + 1) // 2, inner_iterations, 1]");
    check("inner: for j = K[0]; j >= 0; j = j - 1 {\n" + step("a") + "}\n", "tape_s[inner_iterations, 1]");
}

TEST_CASE("Rows of a sparse matrix, between two elements of an array") {
    const std::string row = "row: for j = K[i]; j < K[i + 1]; j = j + 1 {\n" + step("a", "A[j]") + "}\n";
    check("for i = 0; i < N - 1; i = i + 1 {\n" + row + "}\n", "tape_s[N - 1, row_iterations, 1]", "", {0, 2, 2, 3, 5});
    check("for k = 0; k < 2; k = k + 1 {\nfor i = 0; i < N - 1; i = i + 1 {\n" + row + "}\n}\n",
          "tape_s[2, N - 1, row_iterations, 1]", "", {0, 2, 2, 3, 5});
}

TEST_CASE("Bounds that edges read from an array") {
    const auto body = [](const std::string &before, const std::string &after) {
        return "for i = 0; i < N; i = i + 1 {\n" + before + "inner: for j = 0; j < k; j = j + 1 {\n" + step("a", "A[i]") + "}\n" +
               after + "}\n";
    };
    const std::string set = "state before {}\nk = K[i]\n";
    check(body(set, ""), "tape_s[N, inner_iterations, 1]");
    const auto copies = [](const std::string &of) {
        return Differentiated(program(of), "out", "A").text().find("nested") != std::string::npos;
    };
    CHECK(!copies(body(set, ""))); // a map computes the required space
    CHECK(copies(body("state before {}\nk = K[i] * 2 - i\n", "")));
    check(body("state before {}\nk = K[i] * 2 - i\n", ""), "tape_s[N, inner_iterations, 1]");
}

TEST_CASE("Loops in loops whose bounds are elements of an array") {
    const std::string body =
        "middle: for j = 0; j < K[i]; j = j + 1 {\ninner: for k = 0; k < j; k = k + 1 {\n" + step("a", "A[i]") + "}\n}\n";
    check("for i = 0; i < N; i = i + 1 {\n" + body + "}\n", "tape_s[N, middle_iterations, inner_iterations, 1]");
}

TEST_CASE("Bounds that are real numbers") {
    check("for i = 0; i < N; i = i + 1 {\ninner: for j = 0; j < 3 * A[i] - 1; j = j + 1 {\n" + step("a", "A[i]") + "}\n}\n",
          "tape_s[N, inner_iterations, 1], tape_last[N]");
}

TEST_CASE("Bounds that a branch must ask for before they are read") {
    const std::string body = "if (i < 1) {\ninner: for j = 0; j < L[i]; j = j + 1 {\n" + step("a", "A[i]") + "}\n}\n";
    for (const int64_t n : {1, 4}) {
        Differentiated d(program("for i = 0; i < N; i = i + 1 {\n" + body + "}\n", "argument L: int64[1]\n"), "out", "A");
        d.set("N", n).set("K", std::vector<double>(n)).set("L", std::vector<double>{3}).check();
        CHECK(d.tapes() == "tape_s[N, inner_iterations, 1]");
    }
}

TEST_CASE("Bounds that are written before the loops") {
    const std::string body = R"(
      state bounds {
        map m[p = 0:N] with <- K[0:N]; -> L[0:N] {
          t: o = q * 2 + 1  with q <- K[p]; o -> L[p]
        }
      }
      for i = 0; i < N; i = i + 1 {
        inner: for j = L[i] - 3; j < L[i]; j = j + 1 {
    )" + step("a", "A[i]") + "}\n}\n";
    check(body, "tape_s[N, 3, 1]", "transient L: int64[N]\n");
}

TEST_CASE("A loop that has no part in the gradient stays as it is") {
    Differentiated d(
        program("while extra[0] < 3 {\nstate add {\n t: o = q + 1  with q <- extra[0]; o -> extra[0]\n}\n}\nwhile s > 0.3 {\n" +
                    step("a") + "}\n",
                "argument extra: float64[1]\n"),
        "out", "A");
    d.set("N", 2).set("K", std::vector<double>{0, 0}).check();
    CHECK(d.text().find("while extra[0] < 3 {") != std::string::npos);
}

TEST_CASE("Bounds that are written in front of the loop, in the same region") {
    const std::string body = R"(
      region both {
        state bounds {
          map m[p = 0:N] with <- K[0:N]; -> L[0:N] {
            t: o = q * 2 + 1  with q <- K[p]; o -> L[p]
          }
        }
        inner: for j = L[0]; j >= 0; j = j - 1 {
    )" + step("a") + "}\n}\n";
    check(body, "tape_s[inner_iterations, 1]", "transient L: int64[N]\n");
}

TEST_CASE("What cannot be counted") {
    const auto errors = [](const std::string &body, const std::string &more = "") {
        return Differentiated(program(body, more), "out", "A").errors();
    };
    CHECK(errors("twice (inverted = true, update_before_condition = false): for i = 1; i < N; i = i * 2 {\n" + step("a") + "}\n") ==
          "SD4708 the iterations of the loop cannot be counted: its update does not add a step to its variable");
    CHECK(errors("while s > 0.3 {\nstate a {\n t: o = sin(b) * c  with b <- s[0], c <- A[0]; o -> s[0]\n u (CPP): o = 1;  with o "
                 "-> n[0]\n}\n}\n",
                 "transient n: float64\n") == "SD4709 `s` is overwritten, and its values cannot be stored: a surrounding loop "
                                              "would have to run twice to be counted, but `a` has side effects");
}

TEST_CASE("Bounds that are elements of arrays with two dimensions, or differences of two elements") {
    const std::string more = "argument P: int64[N, 2]\nargument B: int64[N * 3]\nargument L: int64[N]\n";
    const auto inner = [](const std::string &bound) {
        return "inner: for j = 0; j < " + bound + "; j = j + 1 {\n" + step("a", "A[i]") + "}\n";
    };
    const auto rows = [](const std::string &body) { return "for i = 0; i < N; i = i + 1 {\n" + body + "}\n"; };
    const auto columns = [](const std::string &body) { return "for k = 0; k < 3; k = k + 1 {\n" + body + "}\n"; };
    struct Case {
        std::string body, tapes;
    };
    for (const Case &c : std::initializer_list<Case>{{rows(inner("P[i, 1]")), "tape_s[N, inner_iterations, 1]"},
                                                     {rows(inner("P[i, 1] + 1")), "tape_s[N, inner_iterations, 1]"},
                                                     {rows(columns(inner("B[i*3 + k]"))), "tape_s[N, 3, inner_iterations, 1]"},
                                                     {rows(inner("K[i] - L[i]")), "tape_s[N, inner_iterations, 1]"},
                                                     {rows(inner("L[i] - K[i]")), "tape_s[N, inner_iterations, 1]"}}) {
        INFO(c.body);
        for (const int64_t n : {1, 2, 5}) {
            INFO("N = " << n);
            // The other elements of P would provide space for too few iterations.
            const std::vector<double> p{0, 3, 0, 0, 0, 5, 0, 1, 0, 2}, b{3, 0, 1, 0, 0, 2, 4, 1, 0, 0, 0, 0, 2, 1, 3},
                k{3, 0, 5, 1, 2}, l{1, 2, 0, 1, 4};
            Differentiated d(program(c.body, more), "out", "A");
            d.set("N", n).set("P", std::vector<double>(p.begin(), p.begin() + 2 * n));
            d.set("B", std::vector<double>(b.begin(), b.begin() + 3 * n));
            d.set("K", std::vector<double>(k.begin(), k.begin() + n)).set("L", std::vector<double>(l.begin(), l.begin() + n));
            d.check();
            CHECK(d.tapes() == c.tapes);
        }
        CHECK(Differentiated(program(c.body, more), "out", "A").text().find("nested") == std::string::npos); // it runs once
    }
}
