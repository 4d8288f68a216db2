// Nested SDFGs whose arguments differ from the declared position or size.
#include "Gradient.h"
#include "SourceTree.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace sdfgc::test;

namespace {

/// A nested SDFG that reads the argument `$given` and stores the squares in `out`; afterwards A is overwritten, so that its values
/// are stored.
std::string overwritten(const std::string &given, const std::string &declared, const std::string &body,
                        const std::string &loop = "") {
    return replaced(
        R"(
      sdfg f {
        symbol N, t: int64
        argument A: float64[N, N]
        argument out: float64[N]
        $loop
        state s {
          nested body[N = N] with C <- $given, out <- out[0:N]; out -> out[0:N] {
            sdfg body {
              symbol N: int64
              argument C: $declared
              argument out: float64[N]
              $body
            }
          }
        }
        state overwrite {
          map zero[i = 0:N, j = 0:N] with <- A[0:N, 0:N]; -> A[0:N, 0:N] {
            zero: o = 0.5 * x  with x <- A[i, j]; o -> A[i, j]
          }
        }
        $end
      }
    )",
        {{"$loop", loop}, {"$end", loop.empty() ? "" : "}"}, {"$given", given}, {"$declared", declared}, {"$body", body}});
}

const std::string column = "float64[N] (strides = [\"N\"], total_size = \"N*N - N + 1\")";

const std::string squares = R"(
  symbol k: int64
  for k = 0; k < N; k = k + 1 {
    state t {
      square: o = x * x + y  with x <- C[k], y <- out[k]; o -> out[k]
    }
  }
)";

std::string graph(const std::string &name) {
    std::ifstream in(SDFGC_SOURCE_DIR "/test/Gradients/graphs/" + name + ".sdfgt");
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("gradients of nested SDFGs: a column of a matrix, from a tape that has no columns beside it") {
    for (const char *loop : {"", "for t = 0; t < 3; t = t + 1 {"})
        for (const char *strategy : {"", "strategy=store"}) {
            INFO(loop << " " << strategy);
            Differentiated d(overwritten("A[0:N, 1]", column, squares, loop), "out", "A", strategy);
            d.set("N", 4).check();
            CHECK(d.text().find("total_size = \"N*N") == std::string::npos);
        }
}

TEST_CASE("gradients of nested SDFGs: strides of what is stored reach SDFGs in SDFGs") {
    Differentiated d(overwritten("A[0:N, 1]", column, R"(
      state around {
        nested deep[N = N] with D <- C[0:N]; out -> out[0:N] {
          sdfg deep {
            symbol N, k: int64
            argument D: float64[N] (strides = ["N"], total_size = "N*N - N + 1")
            argument out: float64[N]
            for k = 0; k < N; k = k + 1 {
              state t {
                square: o = x * x  with x <- D[k]; o -> out[k]
              }
            }
          }
        }
      }
    )"),
                     "out", "A");
    d.set("N", 4).check();
}

TEST_CASE("gradients of nested SDFGs: other dimensions, and views, of what is stored are refused") {
    CHECK(Differentiated(overwritten("A[0:N, 1]", "float64[N // 2, 2] (strides = [\"2*N\", \"N\"])", R"(
      state t {
        map squares[k = 0:N // 2] with <- C[0:N // 2, 0:2]; -> out[0:N // 2] {
          square: o = x * y  with x <- C[k, 0], y <- C[k, 1]; o -> out[k]
        }
      }
    )"),
                         "out", "A")
              .errors() ==
          "SD4709 `A` is overwritten, and its values cannot be stored: a nested SDFG declares different dimensions for it");
    CHECK(Differentiated(overwritten("A[0:N, 1]", "float64[N] (strides = [\"N\"])", R"(
      transient half: View float64[N] (strides = ["N"])
      state t {
        C[0:N] -> new half:views
        map squares[k = 0:N] with <- half[0:N]; -> out[0:N] {
          square: o = x * x  with x <- half[k]; o -> out[k]
        }
      }
    )"),
                         "out", "A")
              .errors() == "SD4709 `A` is overwritten, and its values cannot be stored: a nested SDFG has a view of it");
    // Columns as rows: the same memory in another order.
    Differentiated turned(overwritten("A[0:N, 1:3]", "float64[2, N] (strides = [1, \"N\"])", R"(
      state t {
        map squares[k = 0:N] with <- C[0:2, 0:N]; -> out[0:N] {
          square: o = x * y  with x <- C[0, k], y <- C[1, k]; o -> out[k]
        }
      }
    )"),
                          "out", "A");
    INFO(turned.errors());
    turned.set("N", 4).check();
    // All of A in another shape: the same memory in the same order.
    Differentiated whole(overwritten("A[0:N, 0:N]", "float64[N * N]", squares), "out", "A");
    whole.set("N", 3).check();
}

TEST_CASE("gradients of nested SDFGs: one that declares more than it is given reads no more than that") {
    Differentiated d(R"(
      sdfg row {
        symbol N: int64
        argument C: float64[N, N]
        state s {
          map rows[i = 0:N] with <- C[0:N, 0:N]; -> C[0:N, 0:N] {
            nested body[N = N] with C <- C[i, 0:N]; C -> C[i, 0:N] {
              sdfg body {
                symbol N, k: int64
                argument C: float64[N, N]
                for k = 0; k < 2; k = k + 1 {
                  state t {
                    map t[j = 0:N] with <- C[0, 0:N]; -> C[0, 0:N] {
                      t: o = x * x  with x <- C[0, j]; o -> C[0, j]
                    }
                  }
                }
              }
            }
          }
        }
      }
    )",
                     "C", "C");
    d.set("N", 3).check();
    CHECK(d.text().find("C_before: float64[1, N]") != std::string::npos);
}

TEST_CASE("gradients: results that are not needed once more are written by every iteration for itself") {
    for (const char *name : {"two_sums", "two_results"}) {
        INFO(name);
        Differentiated d(graph(name), name == std::string("two_sums") ? "C" : "out", "X");
        d.set("N", 4).check();
        CHECK(d.errors().empty());
    }
}
