// Symbols that follow from their own earlier values: tapes of integers keep these.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &body) {
    return R"(
        sdfg f(A, out) {
          symbol N, i, j, k: int64
          argument A: float64[N]
          argument out: float64[1]
          transient s: float64
          state begin {
            t: o = a  with a <- A[0]; o -> s[0]
          }
    )" + body +
           R"(
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0]
          }
        }
    )";
}

std::string step(const std::string &index) {
    return "state step {\n t: o = sin(b * c) + b  with b <- s[0], c <- A[" + index + "]; o -> s[0]\n}\n";
}

} // namespace

TEST_CASE("Loops whose variable is multiplied, or divided") {
    for (const char *head : {"for i = 1; i < N; i = i * 2", "for i = N - 1; i > 0; i = i // 2", "for i = 1; i < N; i = 2 * i + 1",
                             "for i = N; i < N; i = i * 3"}) {
        INFO(head);
        for (const int64_t n : {1, 2, 3, 9}) {
            INFO(n);
            Differentiated d(program(std::string(head) + " {\n" + step("i") + "}\n"), "out", "A");
            d.set("N", n).check();
        }
    }
}

TEST_CASE("A variable that the body of its loop changes as well") {
    Differentiated d(program("for i = 0; i < N; i = i + 1 {\n" + step("i") + "i = i + 1\n state next {}\n}\n"), "out", "A");
    d.set("N", 7).check();
}

TEST_CASE("A step of a sign that is not known") {
    Differentiated d(program("for i = 0; i < N; i = i + k {\n" + step("i") + "}\n"), "out", "A");
    d.set("N", 7).set("k", 2).check();
}

TEST_CASE("A symbol that each iteration computes from itself") {
    Differentiated d(program("k = 0\n for i = 0; i < N; i = i + 1 {\n" + step("k") + "k = (k * 2 + 1) % N\n state next {}\n}\n"),
                     "out", "A");
    d.set("N", 5).check();
    CHECK(d.tapes() == "tape_s[N, 1], tape_k[N]");
}

TEST_CASE("Its value is kept once for all states that read it") {
    const std::string twice = step("k") + "then\n state more {\n t: o = cos(b) * c  with b <- s[0], c <- A[k]; o -> s[0]\n}\n";
    Differentiated d(program("k = 0\n for i = 0; i < N; i = i + 1 {\n if i > 1 {\n" + twice + "}\n" + step("k") +
                             "k = (k * 2 + 1) % N\n state next {}\n}\n"),
                     "out", "A");
    d.set("N", 5).check();
    CHECK(d.tapes().find("tape_k_0") == std::string::npos);
}

TEST_CASE("Multiplied in a loop in a loop") {
    Differentiated d(program("for j = 0; j < N; j = j + 1 {\n for i = j + 1; i < N; i = i * 2 {\n" + step("i") + "}\n}\n"), "out",
                     "A");
    d.set("N", 6).check();
}
