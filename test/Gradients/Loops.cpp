// Loops: steps and directions, values that iterations overwrite, branches inside, and private variables.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string loop(const std::string &head, const std::string &body, const std::string &more = "") {
    return R"(
        sdfg f(A, x, out) {
          symbol N, i, j, k: int64
          argument A: float64[N]
          argument x: float64[N, N]
          argument out: float64[1]
          transient s: float64
    )" + more +
           R"(
          state begin {
            t: o = a  with a <- A[0]; o -> s[0]
          }
          )" +
           head + " {\n" + body + R"(
          }
          state end {
            t: o = a * a  with a <- s[0]; o -> out[0]
          }
        }
    )";
}

const std::string sine = "state step {\n t: o = sin(b * c)  with b <- s[0], c <- A[i]; o -> s[0]\n}\n";

} // namespace

TEST_CASE("A value that every iteration overwrites is on a tape") {
    Differentiated d(loop("for i = 0; i < N; i = i + 1", sine), "out", "A");
    d.set("N", 6).check();
    CHECK(d.tapes() == "tape_s[N, 1]");
}

TEST_CASE("Loops with every kind of header") {
    for (const char *head : {"for i = 0; i < N; i = i + 1", "for i = 1; i <= N - 1; i = i + 2", "for i = N - 1; i >= 0; i = i - 1",
                             "for i = N - 1; i > 0; i = i - 2", "for i = 0; i < N; i = i + 3", "for i = N - 2; i > -1; i = i - 3",
                             "for i = 2; i < 2; i = i + 1", "for i = 3; i < N - 2; i = i + 1", "for i = 0; i < sqrt(N); i = i + 1",
                             "for i = 0; i < 0.5 * N; i = i + 1", "for i = N - 1; i > sqrt(N); i = i - 1"}) {
        INFO(head);
        for (const int64_t n : {1, 2, 5, 6, 7}) {
            INFO(n);
            Differentiated d(loop(head, sine), "out", "A");
            d.set("N", n).check();
        }
    }
}

TEST_CASE("Nested loops, one of which depends on the other") {
    const std::string inner = "for j = 0; j < i; j = j + 1 {\n state step {\n t: o = sin(b * c + d)  with b <- s[0], c <- A[i], d "
                              "<- x[i, j]; o -> s[0]\n}\n}\n";
    Differentiated d(loop("for i = 0; i < N; i = i + 1", inner), "out", "A x");
    d.set("N", 5).check();
}

TEST_CASE("What an iteration makes for itself is made again") {
    const std::string body = "state step {\n t1: o = exp(b)  with b <- A[i]; o -> new u[0]\n t2: o = b * c * c  with b <- s[0], c "
                             "<- u[0]; o -> s[0]\n}\n";
    Differentiated d(loop("for i = 0; i < N; i = i + 1", body, "transient u: float64\n"), "out", "A");
    d.set("N", 5).check();
    CHECK(d.tapes() == "tape_s[N, 1]");
}

TEST_CASE("Branches whose conditions change") {
    const std::string body = "if (s > 0.7) {\n state big {\n t: o = b * b * c  with b <- s[0], c <- A[i]; o -> s[0]\n}\n} else {\n"
                             "state small {\n t: o = b + c  with b <- s[0], c <- A[i]; o -> s[0]\n}\n}\n";
    checkGradient(loop("for i = 0; i < N; i = i + 1", body), {{"N", 6}});
    const std::string one = "if (s > 0.7) {\n state big {\n t: o = b * b * c  with b <- s[0], c <- A[i]; o -> s[0]\n}\n}\n";
    checkGradient(loop("for i = 0; i < N; i = i + 1", one), {{"N", 6}});
}

TEST_CASE("Branches whose conditions stay") {
    const std::string body = "if (i > 2) {\n state big {\n t: o = b * b * c  with b <- s[0], c <- A[i]; o -> s[0]\n}\n} else {\n"
                             "state small {\n t: o = b + c  with b <- s[0], c <- A[i]; o -> s[0]\n}\n}\n";
    Differentiated d(loop("for i = 0; i < N; i = i + 1", body), "out", "A");
    d.set("N", 6).check();
    CHECK(d.tapes() == "tape_s[N, 1]");
}

TEST_CASE("A stencil in place over time") {
    checkGradient(R"(
        sdfg f(A) {
          symbol N, T, t: int64
          argument A: float64[N]
          transient B: float64[N]
          for t = 0; t < T; t = t + 1 {
            state step {
              map m[i = 1:N-1] with <- A[0:N]; -> B[1:N-1] {
                t: o = sin(l) * c + r * r  with l <- A[i-1], c <- A[i], r <- A[i+1]; o -> B[i]
              }
            }
            state back {
              B[1:N-1] -> A[1:N-1]
            }
          }
        }
    )",
                  {{"N", 6}, {"T", 3}}, "A", "A");
}

TEST_CASE("Loops whose headers alone do not say how often they run") {
    for (const char *head :
         {"for i = 0; i != N; i = i + 1", "for i = N - 1; i != -1; i = i - 1", "for i = 0; i < N; i = i + S",
          "for i = N - 1; i >= 0; i = i - S", "for i = 0; i < N and i < 4; i = i + 1", "for i = 0; 2 * i < N; i = i + 1"}) {
        INFO(head);
        for (const int64_t n : {1, 2, 5, 6}) {
            INFO(n);
            Differentiated d(loop(head, sine, "symbol S: int64\nassume S: int64 (positive)\n"), "out", "A");
            d.set("N", n).set("S", 2).check();
        }
    }
}

TEST_CASE("Inverted loops") {
    for (const char *order : {"update_before_condition = true", "update_before_condition = false"})
        for (const char *head : {"for i = 0; i < N - 1; i = i + 1", "for i = 0; i < N - 2; i = i + 2"}) {
            INFO(head << order);
            for (const int64_t n : {1, 2, 3, 6}) {
                INFO(n);
                Differentiated d(loop(std::string("l (inverted, ") + order + "): " + head, sine), "out", "A");
                d.set("N", n).check();
            }
        }
}

TEST_CASE("A while loop that counts in its body") {
    const std::string body = sine + "i = i + 2\nstate last {}\n";
    for (const int64_t n : {1, 2, 5}) {
        INFO(n);
        Differentiated d(loop("i = 0\nwhile i < N", body), "out", "A");
        d.set("N", n).check();
    }
}

TEST_CASE("Sizes of tapes of loops in loops") {
    const auto inner = [](const std::string &head) {
        return head + " {\n state step {\n t: o = sin(b * c)  with b <- s[0], c <- A[i]; o -> s[0]\n}\n}\n";
    };
    for (const auto &[outer, head, tape] :
         {std::tuple("for i = 0; i < N; i = i + 1", "for j = 0; j < i * i; j = j + 1", "tape_s[N, N**2 - 2*N + 1, 1]"),
          std::tuple("for i = N - 1; i >= 0; i = i - 1", "for j = 0; j < N - i; j = j + 1", "tape_s[N, N, 1]"),
          std::tuple("for i = N - 1; i >= 0; i = i - 1", "for j = i; j >= 0; j = j - 1", "tape_s[N, N, 1]"),
          std::tuple("for i = 0; i < N; i = i + 1", "for j = i; j < N; j = j + 2", "tape_s[N, (N + 1) // 2, 1]"),
          std::tuple("for i = 1; i <= N - 1; i = i + 3", "for j = i; j < N; j = j + 2", "tape_s[(N + 1) // 3, N // 2, 1]"),
          std::tuple("for i = N - 1; i >= 0; i = i - 1", "for j = 0; j < i * i - 1; j = j + 3",
                     "tape_s[N, (N**2 - 2*N + 2) // 3, 1]")}) {
        INFO(outer << ", " << head);
        for (const int64_t n : {1, 2, 5}) {
            INFO(n);
            Differentiated d(loop(outer, inner(head)), "out", "A");
            d.set("N", n).check();
            CHECK(d.tapes() == tape);
        }
    }
}

TEST_CASE("Loops that may stop before their end") {
    for (const char *head : {"for i = 0; i < N and s > 0.55; i = i + 1", "for i = N - 1; i >= 0 and s > 0.55; i = i - 2",
                             "for i = 0; i < N and s > 2; i = i + 1"}) {
        INFO(head);
        for (const int64_t n : {1, 4, 7}) {
            INFO(n);
            Differentiated d(loop(head, sine), "out", "A");
            d.set("N", n).check();
            CHECK(d.tapes().ends_with(", 1], tape_last[1]"));
        }
    }
    Differentiated d(loop("i = 0\nwhile s > 0.55 and i < N", sine + "i = i + 1\nstate last {}\n"), "out", "A");
    d.set("N", 7).check();
}

TEST_CASE("A loop that may stop before its end, in another one") {
    const std::string inner =
        "for j = 0; j < i and s > 0.4; j = j + 1 {\n state step {\n t: o = sin(b * c)  with b <- s[0], c <- A[j]; "
        "o -> s[0]\n}\n}\nstate more {\n t: o = b + 0.25  with b <- s[0]; o -> s[0]\n}\n";
    Differentiated d(loop("for i = 0; i < N; i = i + 1", inner), "out", "A");
    d.set("N", 6).check();
}

TEST_CASE("A branch with a loop that changes what the condition read") {
    const std::string shrink =
        "for j = 0; j < 3; j = j + 1 {\n state shrink {\n t: o = sin(b * c) * 0.9  with b <- s[0], c <- A[j]; "
        "o -> s[0]\n}\n}\n";
    const std::string branches = shrink + "} else {\n state grow {\n t: o = b * b + c  with b <- s[0], c <- A[3]; o -> s[0]\n}\n";
    const std::string alone = loop("if s > 0.9", branches);
    const std::string repeated = loop("for i = 0; i < N; i = i + 1", "if s > 0.9 {\n" + branches + "}\n");
    for (const double first : {1.25, 0.625}) {
        INFO("A[0] = " << first);
        const auto begin = [first](Differentiated &d) { d.set("N", 5).set("A", {first, 0.875, 1.125, 0.75, 1.375}); };
        Differentiated once(alone, "out", "A"), often(repeated, "out", "A");
        begin(once);
        once.check();
        const std::vector<double> gradient = once.run(once.input(), {{"out", {1}}}).at("gradient_A");
        CHECK((gradient[1] != 0) == (first > 0.9)); // only the loop reads this element,
        CHECK((gradient[3] != 0) == (first < 0.9)); // and only the other branch this one
        begin(often);
        often.check();
        CHECK(once.tapes() == "tape_branch[1], tape_s[3, 1], tape_s_0[1]");
        CHECK(often.tapes() == "tape_branch[N], tape_s[N, 3, 1], tape_s_0[N, 1]");
    }
}
