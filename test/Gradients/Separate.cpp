// The program and its gradient as two programs: the values that the first one stores are passed to the second one, and gradients do
// not change.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &body) {
    return R"(
        sdfg f(A, B, K, out) {
          symbol N, i, k: int64
          argument A: float64[N]
          argument B: float64[N]
          argument K: int64[N]
          argument out: float64[1]
          transient s: float64
          transient t: float64[N]
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

void checkParts(const std::string &text, const std::string &arguments) {
    INFO(text);
    Differentiated both(text, "out", "A B");
    Differentiated forward(text, "out", "A B", "part=forward"), backward(text, "out", "A B", "part=backward");
    for (Differentiated *d : {&both, &forward, &backward}) {
        INFO(d->errors());
        REQUIRE(d->gradient());
        d->set("N", 5).set("K", std::vector<double>{3, 1, 0, 2, 4});
    }
    INFO(forward.text());
    INFO(backward.text());
    const Arrays in = both.input(), expected = both.run(in, {{"out", {0.75}}});
    Arrays handed = forward.run(in, {});
    CHECK(handed.at("out") == expected.at("out"));
    std::string names;
    for (const auto &[name, values] : handed)
        if (!in.count(name))
            names += (names.empty() ? "" : " ") + name;
    CHECK(names == arguments);
    CHECK(forward.text().find("gradient_") == std::string::npos);
    const Arrays found = backward.run(handed, {{"out", {0.75}}});
    for (const char *gradient : {"gradient_A", "gradient_B"})
        CHECK(found.at(gradient) == expected.at(gradient));
}

} // namespace

TEST_CASE("Tapes are arguments of both programs") {
    checkParts(program(R"(
        for i = 0; i < N; i = i + 1 {
          state step {
            t: o = sin(b * c)  with b <- s[0], c <- B[i]; o -> s[0]
          }
        }
    )"),
               "s_kept tape_s");
}

TEST_CASE("So are arrays that the gradient reads where they are, and which branch ran") {
    checkParts(program(R"(
        state make {
          map m[j = 0:N] with <- A[0:N]; -> t[0:N] {
            t: o = exp(a)  with a <- A[j]; o -> t[j]
          }
        }
        for i = 0; i < N; i = i + 1 {
          if s > 0.5 {
            state step {
              t: o = sin(b * c)  with b <- s[0], c <- t[i]; o -> s[0]
            }
          }
        }
    )"),
               "s_kept t tape_branch tape_s");
}

TEST_CASE("And symbols with values of arrays") {
    checkParts(program(R"(
        k = K[1]
        state step {
          t: o = sin(b * c)  with b <- s[0], c <- B[k]; o -> s[0]
        }
    )"),
               "k_kept s_kept tape_s");
}

TEST_CASE("A symbol that both set again is handed over if the second one reads it before") {
    checkParts(program(R"(
        k = K[1]
        state step {
          t: o = sin(b * c)  with b <- s[0], c <- B[k]; o -> s[0]
        }
        k = k + 1
        state last {
          t: o = cos(b * c)  with b <- s[0], c <- B[k]; o -> s[0]
        }
    )"),
               "k_kept s_kept tape_s tape_s_0");
    checkParts(program(R"(
        k = 0
        for i = 0; i < N; i = i + 1 {
          state step {
            t: o = sin(b * c)  with b <- s[0], c <- B[k]; o -> s[0]
          }
          k = (k + K[i]) % N
          state next {}
        }
        if s > 0 {
          state last {
            t: o = cos(b * c)  with b <- s[0], c <- B[k]; o -> s[0]
          }
        }
    )"),
               "s_kept tape_branch_kept tape_k_0 tape_k_kept tape_s tape_s_0");
}

TEST_CASE("Sizes that only the program computes cannot be handed over") {
    const std::string loop = R"(
        while s > 0.5 {
          state step {
            t: o = sin(b * c)  with b <- s[0], c <- B[0]; o -> s[0]
          }
        }
    )";
    CHECK(Differentiated(program(loop), "out", "A B", "part=forward").errors() ==
          "SD4718 `tape_s` cannot be passed to the backward program: its size, loop_iterations, is known only when the forward "
          "program has "
          "run");
    CHECK(Differentiated(program(loop), "out", "A B", "part=half").errors() ==
          "SD4010 option `part` of pass `differentiate` should be `both`, `forward` or `backward`, but it is `half`");
}

TEST_CASE("A result that depends on nothing") {
    Differentiated backward(
        "sdfg f(A, out) {\n argument A: float64[1]\n argument out: float64[1]\n state main {\n t: o = 1  with o -> "
        "out[0]\n}\n}\n",
        "out", "A", "init=zero,part=backward");
    INFO(backward.text());
    REQUIRE(backward.gradient());
    CHECK(backward.run({{"gradient_A", {5}}}, {{"out", {1}}}).at("gradient_A") == std::vector<double>{0});
}
