// States, maps, copies, views and overwritten values.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

TEST_CASE("A map of a nonlinear tasklet") {
    checkGradient(R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N]
          argument out: float64[N]
          state main {
            map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
              t: b = sin(a) * a  with a <- A[i]; b -> out[i]
            }
          }
        }
    )",
                  {{"N", 5}});
}

TEST_CASE("Values that are overwritten in place are stored") {
    const std::string text = R"(
        sdfg f(A) {
          symbol N: int64
          argument A: float64[N]
          state main {
            map m[i = 0:N] with <- A[0:N]; -> A[0:N] {
              t: b = a * a  with a <- A[i]; b -> A[i]
            }
          }
          state again {
            map m[i = 0:N] with <- A[0:N]; -> A[0:N] {
              t: b = exp(a)  with a <- A[i]; b -> A[i]
            }
          }
        }
    )";
    Differentiated d(text, "A", "A");
    d.set("N", 4).check();
    CHECK(d.tapes() == "tape_A[N], tape_A_0[N]");
}

TEST_CASE("A sum over a map, and a value that every iteration reads") {
    checkGradient(R"(
        sdfg f(A, s, out) {
          symbol N: int64
          argument A: float64[N]
          argument s: float64[1]
          argument out: float64[1]
          state zero {
            t: o = 0  with o -> out[0]
          }
          state main {
            map m[i = 0:N] with <- A[0:N], <- s[0]; -> out[0] (+) {
              t: b = a * c * c  with a <- A[i], c <- s[0]; b -> out[0] (+)
            }
          }
        }
    )",
                  {{"N", 5}}, "out", "A s");
}

TEST_CASE("What an iteration has for itself is computed again") {
    checkGradient(R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N]
          argument out: float64[N]
          transient x: float64
          transient y: float64
          state main {
            map m[i = 0:N] with <- A[0:N]; -> out[0:N] {
              t1: b = sin(a)  with a <- A[i]; b -> x[0]
              t2: b = a * a  with a <- x[0]; b -> y[0]
              t3: b = a * c * d  with a <- x[0], c <- y[0], d <- A[i]; b -> out[i]
            }
          }
        }
    )",
                  {{"N", 5}});
}

TEST_CASE("Two results of a tasklet in one array") {
    const std::string text = R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N, N]
          argument out: float64[N, N]
          state main {
            map m[i = 0:N, j = i:N] with <- A[0:N, 0:N]; -> out[0:N, 0:N] {
              t: (p, q) = (a * a, a * a)  with a <- A[i, j]; p -> out[i, j], q -> out[$second]
            }
          }
        }
    )";
    const Differentiated onTheDiagonal(replaced(text, {{"$second", "j, i"}}), "out", "A");
    CHECK(onTheDiagonal.errors().starts_with("SD4711 "));
}

TEST_CASE("Copies that say on one side only which elements they are of") {
    for (const char *copy : {"A -> B[0:N, 0:N] (is_data_src = false)", "A[0:N, 0:N] -> B (is_data_src = true)"}) {
        INFO(copy);
        checkGradient(replaced(R"(
            sdfg f(A, out) {
              symbol N: int64
              argument A: float64[N, N]
              argument out: float64[1]
              transient B: float64[N, N]
              state main {
                $copy
                t: o = sin(b) * c  with b <- B[0, N - 1], c <- B[N - 1, 0]; o -> out[0]
              }
            }
        )",
                               {{"$copy", copy}}),
                      {{"N", 4}});
    }
}

TEST_CASE("Maps whose ranges are read when they run") {
    for (const auto &bounds : {std::vector<double>{0}, {2, 0, 1, 3, 2}}) {
        Differentiated d(R"(
                sdfg f(A, K, out) {
                  symbol N, i: int64
                  argument A: float64[N]
                  argument K: int64[N]
                  argument out: float64[1]
                  state begin {
                    z: o = a  with a <- A[0]; o -> out[0]
                  }
                  state main {
                    map m[p = 0:k] with k <- K[0], <- A[0:N]; -> out[0] (+) {
                      t: o = sin(a)  with a <- A[p]; o -> out[0] (+)
                    }
                  }
                  for i = 0; i < N; i = i + 1 {
                    state more {
                      map m[p = k:l + 1] with k <- K[i], l <- K[0], <- A[0:N]; -> out[0] (+) {
                        t: o = a * a * l  with a <- A[p]; o -> out[0] (+)
                      }
                    }
                  }
                }
            )",
                         "out", "A");
        d.set("N", static_cast<int64_t>(bounds.size())).set("K", bounds).check();
    }
}

TEST_CASE("Copies from views that say which elements they are of on one side") {
    const std::string declarations = R"(
        sdfg f(A, out) {
          argument A: float64[2, 3]
          argument out: float64[6]
          view flat: float64[6]
          transient t: float64[6]
    )";
    for (const char *copies :
         {"A[0:2, 0:3] -> new flat:views[0:6] (is_data_src = true)\n flat -> t[0:6] (is_data_src = false)\n"}) {
        INFO(copies);
        checkGradient(declarations + "state block {\n" + copies + R"(
            }
            then
            state main {
              map m[i = 0:6] with <- t[0:6]; -> out[0:6] {
                square: o = a * a  with a <- t[i]; o -> out[i]
              }
            }
          }
        )",
                      {});
    }
}

TEST_CASE("Elements next to the ends of an array, which are not there") {
    Differentiated d(R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N]
          argument out: float64[N]
          state main {
            map stencil[i = 0:N] with <- A[0:N]; -> out[0:N] {
              t with l <- A[i - 1] (dynamic, allow_oob), c <- A[i], r <- A[i + 1] (dynamic, allow_oob);
                  o -> out[i] {
                left = 2 if i < 1 else l * l
                right = 3 if i >= N - 1 else sin(r)
                o = left * right + c
              }
            }
          }
        }
    )",
                     "out", "A");
    for (const int64_t n : {1, 2, 5})
        d.set("N", n).check();
}

TEST_CASE("Arrays whose indices do not begin at 0") {
    Differentiated stencil(R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N] (offset = [-3])
          argument out: float64[N]
          state main {
            map stencil[i = 3:N + 3] with <- A[3:N + 3]; -> out[0:N] {
              t with l <- A[i - 1] (dynamic, allow_oob), c <- A[i], r <- A[i + 1] (dynamic, allow_oob);
                  o -> out[i - 3] {
                left = 2 if i < 4 else l * l
                right = 3 if i >= N + 2 else sin(r)
                o = left * right + c
              }
            }
          }
        }
    )",
                           "out", "A");
    for (const int64_t n : {1, 2, 5})
        stencil.set("N", n).check();
    // The values of `t` stored in an iteration are within its bounds because of the condition.
    Differentiated stored(R"(
        sdfg f(A, out) {
          symbol N, T, k: int64
          argument A: float64[N] (offset = [2])
          argument out: float64[T]
          transient t: float64[N] (offset = [2])
          state first {
            A[-2:N - 2] -> t[-2:N - 2]
          }
          for k = 0; k < T; k = k + 1 {
            if k < N {
              state use {
                u: o = x * x  with x <- t[k - 2]; o -> out[k]
              }
              state change {
                v: o = sin(x)  with x <- t[k - 2]; o -> t[N - 3 - k]
              }
            }
          }
        }
    )",
                          "out", "A");
    stored.set("N", 4).set("T", 6).check();
}

TEST_CASE("A transient whose size is read from an array") {
    Differentiated d(R"(
        sdfg f(A, K, out) {
          symbol N, k: int64
          argument A: float64[N]
          argument K: int64[1]
          argument out: float64[1]
          transient T: float64[k]
          state begin {
            t: o = a * a  with a <- A[0]; o -> out[0]
          }
          k = K[0]
          state fill {
            map m[i = 0:k] with <- A[0:N]; -> T[0:k] {
              t: o = sin(a)  with a <- A[i]; o -> T[i]
            }
          }
          state again {
            map m[i = 0:k] with <- T[0:k]; -> T[0:k] {
              t: o = b * b * b  with b <- T[i]; o -> T[i]
            }
          }
          state end {
            map m[i = 0:k] with <- T[0:k]; -> out[0] (+) {
              t: o = b * b  with b <- T[i]; o -> out[0] (+)
            }
          }
        }
    )",
                     "out", "A");
    for (const double k : {0, 1, 4}) {
        INFO("K[0] = " << k);
        d.set("N", 4).set("K", std::vector<double>{k}).check();
        const Arrays gradients = d.run(d.input(), {{"out", {1}}});
        for (std::size_t i = 1; i < 4; ++i)
            CHECK((gradients.at("gradient_A")[i] != 0) == (static_cast<double>(i) < k));
    }
    CHECK(d.tapes() == "tape_T[k]");
}
