// Symbols computed from their own earlier values, which are stored on integer tapes.
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

std::string step(const std::string &index, const std::string &name = "step") {
    return "state " + name + " {\n t: o = sin(b * c) + b  with b <- s[0], c <- A[" + index + "]; o -> s[0]\n}\n";
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

TEST_CASE("A variable that is used after its loop, as an index, as a bound and in a condition") {
    const std::string heads[] = {"for i = 0; i < N; i = i + 1", "for i = N - 1; i > 0; i = i - 1",
                                 "for i = 2; i <= N - 2; i = i + 3"};
    const std::string uses[] = {step("i % 8"), "for j = 0; j < i + 1; j = j + 1 {\n" + step("(i + j) % 8") + "}\n",
                                "if i > 3 {\n" + step("i % 8") + "} else {\n" + step("0") + "}\n"};
    for (const std::string &head : heads)
        for (const std::string &use : uses)
            for (const int64_t n : {1, 2, 8}) {
                INFO(head + use << n);
                std::string text = program(head + " {\n" + step("i % 8") + "}\n" + use);
                text.replace(text.find("float64[N]"), 10, "float64[8]");
                Differentiated d(text, "out", "A");
                d.set("N", n).check();
            }
}

TEST_CASE("A variable whose loop runs again and again, used before it and after it") {
    const std::string inner = "for i = 0; i < j; i = i + 1 {\n" + step("i") + "}\n";
    Differentiated d(program("i = 2\n for j = 0; j < N; j = j + 1 {\n" + step("i", "before") + inner + step("i", "after") + "}\n" +
                             step("i - 1")),
                     "out", "A");
    d.set("N", 5).check();
}

TEST_CASE("A symbol is given its value in front of states that go on in each other, whichever of them reads it") {
    const std::string loop = "for i = N - 1; i >= 0; i = i - 1 {\n" + step("i") + "}\n",
                      further = "state first {}\n" + step("i", "second");
    Differentiated d(program("for j = 0; j < N; j = j + 1 {\n" + loop + "i = (i + 2) % N\n" + further + loop + "}\n"), "out", "A");
    d.set("N", 4).check();
}

TEST_CASE("A symbol that has other values at two accesses of one array") {
    const std::string text = R"(
        sdfg f(A, first, second, out) {
          symbol k: int64
          argument A: float64[8]
          argument first: int64[1]
          argument second: int64[1]
          argument out: float64[1]
          transient t: float64[8]
          state begin {
            map m[j = 0:8] with <- A[0:8]; -> t[0:8] {
              c: o = x * 2  with x <- A[j]; o -> t[j]
            }
          }
          k = first[0]
          state read {
            u: o = sin(x)  with x <- t[k]; o -> out[0]
          }
          k = second[0]
          state overwrite {
            v: o = x * 3  with x <- t[0]; o -> t[k - 1]
          }
          then
          state end {
            w: o = x + y  with x <- t[2], y <- out[0]; o -> out[0]
          }
        }
    )";
    for (const double second : {3, 4, 1}) {
        INFO(second);
        Differentiated d(text, "out", "A");
        d.set("first", std::vector<double>{2}).set("second", std::vector<double>{second}).check();
    }
}

TEST_CASE("A symbol that keeps the variable of the loop around, as a bound") {
    struct Case {
        std::string set, reset, tapes;
    };
    for (const Case &c : std::initializer_list<Case>{{"k = i", "", "tape_s[N, N - 1, 1]"},
                                                     {"k = 2*i + 1", "", "tape_s[N, 2*N - 1, 1]"},
                                                     {"k = i", "k = 0", "tape_s[N, N - 1, 1]"},
                                                     {"k = 2*i + 1", "k = 0", "tape_s[N, 2*N - 1, 1]"}}) {
        const std::string body = "for i = 0; i < N; i = i + 1 {\nstate before {}\n" + c.set + "\nfor j = 0; j < k; j = j + 1 {\n" +
                                 step("j % N") + "}\n" + c.reset + "\nstate behind {}\n}\n";
        INFO(body);
        for (const int64_t n : {1, 2, 5}) {
            INFO("N = " << n);
            Differentiated d(program(body), "out", "A");
            d.set("N", n).check();
            CHECK(d.tapes() == c.tapes);
        }
    }
}
