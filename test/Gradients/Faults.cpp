// Programs whose gradients are easy to get wrong: each is either correct or refused with its error code.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

std::string program(const std::string &declarations, const std::string &body) {
    return "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N]\n argument out: float64[N]\n" + declarations + body + "}\n";
}

std::string errors(const std::string &text, const std::string &of = "out", const std::string &wrt = "A") {
    return Differentiated(text, of, wrt).errors();
}

} // namespace

TEST_CASE("What tasklets hand to each other directly") {
    checkGradient(program("", R"(
        state main {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t1: h = sin(a)  with a <- A[i]
            t2: b = k * k  with k <- @t1:h; b -> out[i]
          }
        }
    )"),
                  {{"N", 4}});
}

TEST_CASE("A nested SDFG adds to what its argument held") {
    checkGradient(program("symbol k: int64\n", R"(
        state start_here {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
        state main {
          nested n[N = N] with x: pointer(float64) <- A[0:N]; y: pointer(float64) <- out[0:N]; y: pointer(float64) -> out[0:N] {
            sdfg inner(x, y) {
              symbol N, k: int64
              argument x: float64[N]
              argument y: float64[N]
              for k = 1; k < N; k = k + 1 {
                state step {
                  t: o = b * c + sin(d)  with b <- y[k], c <- x[k], d <- y[k-1]; o -> y[k]
                }
              }
            }
          }
        }
    )"),
                  {{"N", 5}});
}

TEST_CASE("A nested SDFG that has one container by two arguments") {
    const auto nested = [](const std::string &read, const std::string &size) {
        return program("symbol k: int64\n", R"(
        state start_here {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
        state main {
          nested n[N = N] with x: pointer(float64) <- out[)" +
                                                read + R"(]; y: pointer(float64) -> out[0:N] {
            sdfg inner(x, y) {
              symbol N, k: int64
              argument x: float64[)" + size + R"(]
              argument y: float64[N]
              for k = 0; k < N - 1; k = k + 1 {
                if x[k] > 0.7 {
                  state step {
                    t: o = sin(b)  with b <- x[k]; o -> y[k]
                  }
                }
              }
            }
          }
        }
    )");
    };
    checkGradient(nested("0:N", "N"), {{"N", 5}});
    CHECK(errors(nested("0:N-1", "N-1")) ==
          "SD4714 this cannot be differentiated: a nested SDFG that has `out` through two arguments, and writes it");
}

TEST_CASE("A nested SDFG in a map that reads elements of other iterations") {
    checkGradient(program("symbol k: int64\n", R"(
        state main {
          map m[i = 0:N-1] with <- A[0:N]; -> out[0:N-1] {
            nested n with l: pointer(float64) <- A[i], r: pointer(float64) <- A[i+1]; y: pointer(float64) -> out[i] {
              sdfg inner(l, r, y) {
                symbol k: int64
                argument l: float64[1]
                argument r: float64[1]
                argument y: float64[1]
                for k = 0; k < 2; k = k + 1 {
                  state step {
                    t: o = a * b * (k + 1)  with a <- l[0], b <- r[0]; o -> y[0]
                  }
                }
              }
            }
          }
        }
    )"),
                  {{"N", 5}});
}

TEST_CASE("A nested SDFG may leave elements as they are") {
    const std::string text = program("symbol k: int64\n", R"(
        state start_here {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
        state main {
          nested n[N = N] with y: pointer(float64) <- out[0:N]; y: pointer(float64) -> out[0:N] {
            sdfg inner(y) {
              symbol N, k: int64
              argument y: float64[N]
              for k = 0; k < N; k = k + 2 {
                state step {
                  t: o = 1  with o -> y[k]
                }
              }
            }
          }
        }
    )");
    checkGradient(text, {{"N", 5}});
}

TEST_CASE("A sum that takes the place of what its container held") {
    const std::string text = R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N]
          argument out: float64[1]
          transient s: float64[1]
          state first {
            t: o = a * a  with a <- A[0]; o -> s[0]
          }
          state use {
            t: o = sin(a)  with a <- s[0]; o -> out[0]
          }
          state again {
            library standard.Reduce sum (axes = [0], identity = 0, wcr = "lambda a, b: a + b") with <- A[0:N]; -> s[0]
          }
          state end {
            t: o = a * b  with a <- out[0], b <- s[0]; o -> out[0]
          }
        }
    )";
    checkGradient(text, {{"N", 4}});
}

TEST_CASE("Reductions that combine their result with what its container held") {
    for (const char *wcr : {"lambda a, b: a + b", "lambda a, b: max(a, b)", "lambda a, b: min(a, b)"}) {
        INFO(wcr);
        const std::string text = R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N, N]
          argument out: float64[N]
          state main {
            library standard.Reduce all (axes = [0], wcr = ")" +
                                 std::string(wcr) + R"(") with <- A[0:N, 0:N]; -> out[0:N]
          }
          state end {
            map m[i = 0:N] with <- out[0:N]; -> out[0:N] {
              t: b = sin(a)  with a <- out[i]; b -> out[i]
            }
          }
        }
    )";
        Differentiated d(text, "out", "A out");
        d.set("N", 3).set("out", {0.2, 1.0, 2.0}).set("A", {0.6, 0.9, 1.2, 0.8, 1.1, 0.4, 1.3, 0.7, 0.5}).check();
    }
}

TEST_CASE("Iterations of a map that write the same element") {
    CHECK(errors(program("argument x: float64[N, N]\n", R"(
        state main {
          map m[i = 0:N, j = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
    )")) == "SD4711 the update of `out` cannot be differentiated: iterations of a map write the same element, of which one value "
            "remains");
}

TEST_CASE("Tiles of a map write their elements once, unless they overlap") {
    const auto tiled = [](const std::string &outer, const std::string &inner) {
        return program("", "state main {\n map m[i = " + outer + "] with <- A[0:N]; -> out[0:N] {\n map n[j = " + inner +
                               "] with <- A[0:N]; -> out[0:N] {\n t: b = a * a  with a <- A[j]; b -> out[j]\n }\n }\n }\n");
    };
    checkGradient(tiled("0:8:4", "i:i+4"), {{"N", 8}});
    checkGradient(tiled("0:N:4", "i:min(N, i+4)"), {{"N", 6}});
    checkGradient(tiled("0:N", "i:i+1"), {{"N", 6}});
    checkGradient(tiled("0:N:2", "i"), {{"N", 6}});
    const std::string refused = "SD4711 the update of `out` cannot be differentiated: iterations of a map write the same element, "
                                "of which one value remains";
    CHECK(errors(tiled("0:N-3", "i:i+2")) == refused);
    CHECK(errors(tiled("0:N", "0:3")) == refused);
    CHECK(errors(program("", "state main {\n map m[i = 0:N] with <- A[0:N]; -> out[0:N] {\n t: b = a * a  with a <- A[i]; b -> "
                             "out[i // 2]\n }\n }\n")) == refused);
    CHECK(errors(program(
              "", "state main {\n map m[i = 0:N-1] with <- A[0:N]; -> out[0:N] {\n t: b = a * a  with a <- A[i]; b -> out[i]\n"
                  " u: b = a * a  with a <- A[i+1]; b -> out[i+1]\n }\n }\n")) == refused + ", " + refused);
}

TEST_CASE("What an iteration has for itself is not shared") {
    checkGradient(program("transient s: float64\n", R"(
        state main {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t1: b = a * a  with a <- A[i]; b -> new s[0]
            t2: b = a * a  with a <- s[0]; b -> out[i]
          }
        }
    )"),
                  {{"N", 4}});
}

TEST_CASE("A tasklet stores some elements of several") {
    checkGradient(program("", R"(
        state first {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
        state main {
          t with a: pointer(float64) <- A[0:N]; o: pointer(float64) -> out[0:N] (dynamic) {
            o[1] = sin(a[0])
            if a[2] > 0:
              o[2] = a[1] * a[1]
            else:
              o[3] = a[0]
          }
        }
    )"),
                  {{"N", 5}});
}

TEST_CASE("A tasklet that stores under a condition") {
    checkGradient(program("", R"(
        state first {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
        state main {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t with a <- A[i]; o -> out[i] (dynamic) {
              if a > 1:
                o = sin(a)
            }
          }
        }
    )"),
                  {{"N", 5}});
}

TEST_CASE("A copy that adds") {
    checkGradient(program("", R"(
        state first {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = a * a  with a <- A[i]; b -> out[i]
          }
        }
        state main {
          A[0:N] -> out[0:N] (+)
        }
    )"),
                  {{"N", 4}});
}

TEST_CASE("A gradient of zero stays zero where a derivative is infinite") {
    Differentiated d(program("", R"(
        state main {
          map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
            t: b = 1 / (sqrt(a) ** 3) if a > 0 else 0  with a <- A[i]; b -> out[i]
          }
        }
    )"),
                     "out", "A");
    d.set("N", 3);
    REQUIRE(d.errors() == "");
    Arrays in = d.input();
    in["A"] = {0, 1, 4};
    const Arrays g = d.run(in, {{"out", {1, 1, 1}}});
    CHECK(g.at("gradient_A")[0] == 0);
    CHECK(g.at("gradient_A")[1] == Approx(-1.5));
    Arrays zero = d.input();
    zero["A"] = {0, 0, 0};
    CHECK(d.run(zero, {{"out", {0, 0, 0}}}).at("gradient_A") == std::vector<double>{0, 0, 0});
}

TEST_CASE("Symbols that edges give values from others that change") {
    const std::string text = R"(
        sdfg f(A, idx, out) {
          symbol N, i, j, k: int64
          argument A: float64[N]
          argument idx: int64[N]
          argument out: float64[1]
          state begin {
            t: o = a  with a <- A[0]; o -> out[0]
          }
          for i = 0; i < N; i = i + 1 {
            state a {}
            j = idx[i]
            state a2 {}
            k = i - j
            state b {
              t: o = sin(b * c)  with b <- out[0], c <- A[k]; o -> out[0]
            }
            j = j + 1
            state c {
              t: o = b * c  with b <- out[0], c <- A[j]; o -> out[0]
            }
          }
        }
    )";
    Differentiated d(text, "out", "A");
    d.set("N", 4).set("idx", {0, 1, 1, 2}).check();
}

TEST_CASE("A symbol that iterations hand on") {
    const std::string text = R"(
        sdfg f(A, out) {
          symbol N, i, j: int64
          argument A: float64[N]
          argument out: float64[1]
          state begin {
            t: o = a  with a <- A[0]; o -> out[0]
          }
          j = 0
          for i = 0; i < N; i = i + 1 {
            state b {
              t: o = sin(b * c)  with b <- out[0], c <- A[j]; o -> out[0]
            }
            j = (j * 2 + 1) % N
            state c {}
          }
        }
    )";
    Differentiated d(text, "out", "A");
    d.set("N", 5).check();
}

TEST_CASE("A real number that passes through a symbol") {
    const std::string text = R"(
        sdfg f(A, out) {
          symbol r: float64
          argument A: float64[2]
          argument out: float64[2]
          state begin {}
          r = A[0] * 2
          state main {
            nested n[r = r] with y: pointer(float64) -> out[0:2] {
              sdfg inner(y) {
                symbol r: float64
                argument y: float64[2]
                state first {
                  t: o = r * r  with o -> y[0]
                }
                if r > 0 {
                  state second {
                    t: o = r  with o -> y[1]
                  }
                }
              }
            }
          }
        }
    )";
    CHECK(errors(text) == "SD4710 `r` cannot have a gradient: it is a symbol");
}

TEST_CASE("A tasklet that assigns to an array as a whole stores nothing, and copies in tiles have no gradient") {
    CHECK(errors(program("", R"(
        state main {
          t: b = a  with a <- A[0:N]; b -> out[0:N]
        }
    )")) == "SD4705 the code cannot be differentiated: it assigns to `b` as a whole, which has no effect");
    CHECK(errors(program("", R"(
        state main {
          A[0:N:4:2] -> out[0:N:4:2]
        }
    )")) == "SD4710 `A` cannot have a gradient: it is copied in tiles");
}
