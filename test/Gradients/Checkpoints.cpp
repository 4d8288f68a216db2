// Loops in segments: the gradients are bitwise identical, and less is stored.
#include "Gradient.h"

#include "sdfgc/Analysis/Costs/Footprint.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

std::string program(const std::string &declarations, const std::string &body) {
    return "sdfg f(A, B, out) {\n symbol N, T, t, j: int64\n argument A: float64[N]\n argument B: float64[N]\n argument out: "
           "float64[1]\n" +
           declarations + body + "}\n";
}

const std::string sumOfU = R"(
    state end {
      map m[k = 0:N] with <- u[0:N]; -> out[0] (+) {
        t: o = a * a  with a <- u[k]; o -> out[0] (+)
      }
    }
)";

/// Time steps on an array, with another array private to each step.
std::string steps(const std::string &header) {
    return program("transient u: float64[N]\ntransient v: float64[N]\n", R"(
    state begin {
      map m[k = 0:N] with <- A[0:N]; -> u[0:N] {
        t: o = a  with a <- A[k]; o -> u[k]
      }
    }
    )" + header + R"( {
      state one {
        map m[k = 0:N] with <- u[0:N], <- B[0:N]; -> v[0:N] {
          t: o = 0.1 * sin(a * b) + 0.01 * t  with a <- u[k], b <- B[k]; o -> v[k]
        }
      }
      state two {
        map m[k = 0:N] with <- v[0:N], <- u[0:N]; -> u[0:N] {
          t: o = 0.5 * a * b + 0.5 * a  with a <- v[N - 1 - k], b <- u[k]; o -> u[k]
        }
      }
    }
)" + sumOfU);
}

/// Each step overwrites its argument, and writes one element of another.
const std::string history = program("transient u: float64[N]\n", R"(
    state begin {
      map m[k = 0:N] with <- B[0:N]; -> u[0:N] {
        t: o = a  with a <- B[k]; o -> u[k]
      }
    }
    for t = 0; t < T; t = t + 1 {
      state one {
        map m[k = 0:N] with <- A[0:N]; -> A[0:N] {
          t: o = 0.25 * a * a + 0.25  with a <- A[k]; o -> A[k]
        }
        n: o = a * b  with a <- A[0], b <- u[t]; o -> u[t]
      }
    }
)" + sumOfU);

/// Nested loops, with a symbol that each iteration assigns.
const std::string nested = program("transient s: float64[1]\nsymbol w: int64\n", R"(
    state begin {
      t: o = a  with a <- A[0]; o -> s[0]
    }
    for j = 0; j < 2; j = j + 1 {
      for t = 0; t < T; t = t + 1 {
        state first {
        }
        w = (t + j) % N
        state one {
          t: o = sin(a * b) + a  with a <- s[0], b <- B[w]; o -> s[0]
        }
      }
    }
    state end {
      t: o = a * a  with a <- s[0]; o -> out[0]
    }
)");

/// An array that each step computes and whose last value is used after the loop, and one that other code also computes and uses.
const std::string used = program("transient u: float64[N]\ntransient b: float64[N]\ntransient c: float64[N]\n", R"(
    state begin {
      map m[k = 0:N] with <- A[0:N]; -> c[0:N] {
        t: o = 0.5 * a  with a <- A[k]; o -> c[k]
      }
      map n[k = 0:N] with <- c[0:N]; -> u[0:N] {
        t: o = a * a  with a <- c[k]; o -> u[k]
      }
      map l[k = 0:N] with <- A[0:N]; -> b[0:N] {
        t: o = a + 1  with a <- A[k]; o -> b[k]
      }
    }
    for t = 0; t < T; t = t + 1 {
      state one {
        map m[k = 0:N] with <- B[0:N], <- u[0:N]; -> b[0:N] {
          t: o = 0.5 * a * x  with a <- B[k], x <- u[k]; o -> b[k]
        }
        map l[k = 0:N] with <- b[0:N]; -> c[0:N] {
          t: o = 1 / (1 + a)  with a <- b[k]; o -> c[k]
        }
        map n[k = 0:N] with <- b[0:N], <- c[0:N], <- u[0:N]; -> u[0:N] {
          t: o = 0.5 * x + x * y * z  with x <- u[k], y <- b[N - 1 - k], z <- c[N - 1 - k]; o -> u[k]
        }
      }
    }
    state after {
      map m[k = 0:N] with <- b[0:N], <- A[0:N]; -> c[0:N] {
        t: o = a * x  with a <- b[N - 1 - k], x <- A[k]; o -> c[k]
      }
      map n[k = 0:N] with <- b[0:N], <- u[0:N], <- c[0:N]; -> out[0] (+) {
        t: o = a * x + x * y  with a <- b[k], x <- u[k], y <- c[N - 1 - k]; o -> out[0] (+)
      }
    }
)");

/// An array whose size differs in each step.
const std::string growing = program("transient u: float64[N]\ntransient w: float64[t + 1]\n", R"(
    state begin {
      map m[k = 0:N] with <- A[0:N]; -> u[0:N] {
        t: o = a  with a <- A[k]; o -> u[k]
      }
    }
    for t = 0; t < T; t = t + 1 {
      state one {
        map m[k = 0:t + 1] with <- B[0:N], <- u[0:N]; -> w[0:t + 1] {
          t: o = a * sin(x)  with a <- B[k], x <- u[k]; o -> w[k]
        }
        map n[k = 0:t + 1] with <- w[0:t + 1]; -> u[0:N] {
          t: o = x * x  with x <- w[t - k]; o -> u[k]
        }
      }
    }
)" + sumOfU);

Differentiated made(const std::string &text, const std::string &options, int64_t trips) {
    Differentiated d(text, "out", "A B", options);
    d.set("N", 5).set("T", trips);
    return d;
}

} // namespace

TEST_CASE("Segments of loops have the same gradients, bit by bit") {
    const std::string text = GENERATE(steps("for t = 0; t < T; t = t + 1"), steps("for t = T - 1; t >= 0; t = t - 1"),
                                      steps("for t = 1; t <= 2 * T; t = t + 2"), history, used, growing);
    for (const int64_t trips : {0, 1, 2, 3, 5})
        for (const std::string segments : {"t=1", "t=2", "t=3", "t=100", "t=4/2"}) {
            INFO(text << trips << " iterations, " << segments);
            Differentiated whole = made(text, "", trips), cut = made(text, "checkpoints='" + segments + "'", trips);
            INFO(cut.errors());
            REQUIRE(cut.gradient());
            const Arrays in = whole.input(), weights{{"out", {0.75}}};
            CHECK(cut.run(in, weights) == whole.run(in, weights));
        }
    made(text, "checkpoints='t=2'", 5).check();
}

TEST_CASE("A segment stores what it begins with, and what its iterations need") {
    const std::string text = steps("for t = 0; t < T; t = t + 1");
    CHECK(made(text, "", 5).tapes() == "tape_u[max(T, 0), N]");
    CHECK(made(text, "checkpoints='t=10'", 5).tapes() == "tape_u[max((T + 9) // 10, 0), N]");
    Differentiated d = made(text, "checkpoints='t=3'", 5);
    d.run(d.input(), {{"out", {1}}});
    CHECK(sym::evaluate(analysis::bytesOfTransients(*d.gradient()), {{Name("N"), 5}, {Name("T"), 5}}) == d.memory());
}

TEST_CASE("Loops in others are cut by their names") {
    for (const std::string segments : {"t=3", "j=1", "t=2,j=1", "2"}) {
        Differentiated whole = made(nested, "", 5), cut = made(nested, "checkpoints='" + segments + "'", 5);
        INFO(segments << cut.errors());
        REQUIRE(cut.gradient());
        const Arrays in = whole.input(), weights{{"out", {0.75}}};
        CHECK(cut.run(in, weights) == whole.run(in, weights));
    }
}

TEST_CASE("What cannot be cut is refused") {
    const std::string outside = R"(sdfg f(A, B, w, out) {
    symbol N, T, t: int64
    argument A: float64[N]
    argument B: float64[N]
    argument w: float64[t + 1]
    argument out: float64[1]
    for t = 0; t < T; t = t + 1 {
      state one {
        t: o = a * b  with a <- A[0], b <- B[0]; o -> w[t]
      }
    }
    state two {
      t: o = a * b  with a <- A[0], b <- B[0]; o -> out[0]
    }
  })";
    CHECK(made(outside, "checkpoints='t=2'", 5).errors() ==
          "SD4722 the loop `loop` cannot be cut into segments: it changes the size of `w`, which is also used outside of it");

    const auto errors = [](const std::string &text, const std::string &segments) {
        return made(text, "checkpoints='" + segments + "'", 5).errors();
    };
    const std::string text = steps("for t = 0; t < T; t = t + 1");
    CHECK(errors(text, "k=3") == "SD4722 the loop `k` cannot be cut into segments: there is no such loop");
    CHECK(errors(steps("for t = 1; t < T; t = 2 * t"), "t=3").substr(0, 6) == "SD4722");
    CHECK(errors(text, "auto") ==
          "SD4010 option `checkpoints` of pass `cut-into-segments` should be a list of loops without `memory`, "
          "which `auto` is for, but it is `auto`");
    for (const std::string wrong : {"t", "=3", "t=0", "t=-1", "t=x", "t=3/", "t=3/0", "3/", "0"})
        CHECK(errors(text, wrong) ==
              "SD4010 option `checkpoints` of pass `cut-into-segments` should be loops and numbers of iterations, as "
              "in `t=100` or `t=1000/50`, or `auto`, but it is `" +
                  wrong + "`");
}

TEST_CASE("Loops are cut as a limit of memory asks for") {
    const auto limited = [](const std::string &memory) {
        return made(steps("for t = 0; t < T; t = t + 1"), "memory='" + memory + "',sizes='N=100+T=1000',checkpoints=auto", 5);
    };
    CHECK(limited("2M").tapes() == "tape_u[max(T, 0), N]"); // 1,600,000 bytes
    CHECK(limited("100K").tapes() == "tape_u[max((T + 31) // 32, 0), N]");
    CHECK(limited("40K").tapes() == "tape_u[max((T + 99) // 100, 0), N]");
    CHECK(limited("1K").errors().substr(0, 6) == "SD4717");
}
