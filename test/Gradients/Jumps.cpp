// Breaks, continues and returns.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

/// A state that changes `s`, and one that changes it differently.
std::string step(const std::string &label, const std::string &element = "A[i]") {
    return "state " + label + " {\n t: o = sin(b * c)  with b <- s[0], c <- " + element + "; o -> s[0]\n}\n";
}
std::string more(const std::string &label, const std::string &element = "A[i]") {
    return "state " + label + " {\n t: o = b + c * c  with b <- s[0], c <- " + element + "; o -> s[0]\n}\n";
}
std::string when(const std::string &condition, const std::string &body) { return "if " + condition + " {\n" + body + "}\n"; }
std::string loop(const std::string &variable, const std::string &end, const std::string &body) {
    return "for " + variable + " = 0; " + variable + " < " + end + "; " + variable + " = " + variable + " + 1 {\n" + body + "}\n";
}

/// A program that begins with s = A[0], which ends as out = s * s.
std::string program(const std::string &body) {
    return R"(
        sdfg f(A, x, at, out) {
          symbol N, i, j, k: int64
          argument A: float64[N]
          argument x: float64[N, N]
          argument at: int64[1]
          argument out: float64[1]
          transient s: float64
          state begin {
            t: o = a  with a <- A[0]; o -> s[0]
            u: o = a * 2  with a <- A[0]; o -> out[0]
          }
    )" + body +
           R"(
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0]
          }
        }
    )";
}

/// Checks it with the jump in each iteration, and in none.
void check(const std::string &body) {
    INFO(body);
    for (const int64_t n : {1, 2, 5})
        for (int64_t at = -1; at <= n; ++at) {
            INFO("N = " << n << ", at = " << at);
            Differentiated d(program(body), "out", "A x");
            d.set("N", n).set("at", std::vector<double>{static_cast<double>(at)}).check();
        }
}

} // namespace

TEST_CASE("A break at the beginning, in the middle and at the end of a body") {
    check(loop("i", "N", when("i == at[0]", "break\n") + step("a") + more("b")));
    check(loop("i", "N", step("a") + when("i == at[0]", "break\n") + more("b")));
    check(loop("i", "N", step("a") + more("b") + when("i == at[0]", "break\n")));
    check(loop("i", "N", step("a") + when("i == at[0]", more("b") + "break\n") + more("c")));
}

TEST_CASE("A break that depends on what has a gradient") {
    check(loop("i", "N", step("a") + when("s < 0.6", "break\n") + more("b")));
    check(loop("i", "N", when("A[i] < 0.9", "break\n") + step("a")));
}

TEST_CASE("A loop that a break leaves has a tape for all of its iterations") {
    Differentiated d(program(loop("i", "N", step("a") + when("s < 0.6", "break\n"))), "out", "A");
    d.set("N", 5).check();
    CHECK(d.tapes() == "tape_s[N, 1], tape_last[1]");
}

TEST_CASE("A continue") {
    check(loop("i", "N", step("a") + when("i == at[0]", "continue\n") + more("b")));
    check(loop("i", "N", when("i > at[0]", more("a") + "continue\n") + step("b")));
    check(loop("i", "N", step("a") + when("s > 0.6", when("i > at[0]", "continue\n") + more("b")) + step("c")));
}

TEST_CASE("A return") {
    check(when("at[0] == 0", "return\n") + step("a", "A[0]"));
    check(loop("i", "N", step("a") + when("i == at[0]", "return\n") + more("b")) + more("c", "A[0]"));
    check(loop("i", "N", step("a") + loop("j", "i + 1", when("j == at[0]", "return\n") + more("b", "x[i, j]")) + step("c")) +
          step("d", "A[0]"));
}

TEST_CASE("Several jumps in nested loops") {
    const std::string inner = loop("j", "N",
                                   when("x[i, j] > 1.3", "continue\n") + step("b", "x[i, j]") +
                                       when("s > 0.8", when("i + j == at[0]", "break\n") + more("c", "x[j, i]")) +
                                       when("i * j > at[0] + 2", "return\n") + step("d", "x[i, j]"));
    check(loop("i", "N", step("a") + inner + when("i == at[0]", "break\n") + more("e")));
    check(loop("i", "N", when("i == at[0]", "continue\n") + inner + more("e")));
}

TEST_CASE("Jumps in while loops") {
    check("i = 0\nwhile i < N {\n" + step("a") + when("i == at[0]", "break\n") + "i = i + 1\nstate c {}\n}\n");
    check("k = 0\nwhile k < N and s > 0.3 {\n" + step("a", "A[k]") + when("k == at[0]", "return\n") + "k = k + 2\nstate c {}\n}\n");
}

TEST_CASE("A break in front of all that a body does is a condition of its loop") {
    Differentiated d(program("for i = 0; True; i = i + 1 {\n" + when("i >= N", "break\n") + step("a") + "}\n"), "out", "A");
    d.set("N", 5).check();
    CHECK(d.tapes() == "tape_s[N, 1]");
    check("for i = 0; i != 8; i = i + 1 {\n" + when("s > 2.5", "break\n") + "state none {}\n" + when("i == N", "break\n") +
          step("a") + "}\n");
}

TEST_CASE("A return in a nested SDFG") {
    const std::string nested = R"(
      state main {
        nested g[N = N] with A: pointer(float64) <- A[0:N], at: pointer(int64) <- at[0], s: pointer(float64) <- s[0]; s: pointer(float64) -> s[0] {
          sdfg g(A, at, s) {
            symbol N, i: int64
            argument A: float64[N]
            argument at: int64[1]
            argument s: float64[1]
    )" + loop("i", "N", step("a") + when("i == at[0]", "return\n")) +
                               more("b", "A[0]") + "}\n}\n}\n";
    check(nested);
}
