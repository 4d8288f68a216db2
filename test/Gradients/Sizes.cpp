// Sizes of tapes, as text: the number of elements that loops of every kind store. All tapes have one dimension per loop. A number
// of iterations that the symbols allow to be negative is clamped to zero.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

struct Example {
    const char *what;
    std::string body, tapes;
};

std::string program(const std::string &body) {
    return R"(
        sdfg f(A, x, K, out) {
          symbol N, M, T, i, j, l, t, lo, hi, mid: int64
          argument A: float64[N]
          argument x: float64[N, N]
          argument K: int64[N]
          argument out: float64[1]
          transient s: float64
          transient C: int64[1]
          state begin {
            t: o = a  with a <- A[0]; o -> s[0]
          }
          then
          state count {
            t: o = 2  with o -> C[0]
          }
          then
    )" + body +
           R"(
          state end {
            t: o = a * a + b * b  with a <- s[0], b <- A[1]; o -> out[0]
          }
        }
    )";
}

std::string in(const std::string &head, const std::string &body) { return head + " {\n" + body + "}\n"; }

std::string step(const std::string &code, const std::string &read) {
    return "state step {\n t: o = " + code + "  with b <- s[0], c <- " + read + "; o -> s[0]\n}\n";
}

const std::string sine = "sin(b * c)";

const std::vector<Example> examples = {
    {"a loop", in("for t = 0; t < T; t = t + 1", step(sine, "A[t % N]")), "tape_s[max(T, 0), 1]"},
    {"a triangle", in("for i = 0; i < N; i = i + 1", in("for j = 0; j < i; j = j + 1", step("b * c + 1", "x[i, j]"))),
     "tape_s[N, N - 1, 1]"},
    {"steps, and an inner loop that gets shorter",
     in("for i = 2; i <= M; i = i + 3", in("for j = i; j < N; j = j + 2", step(sine, "A[j]"))),
     "tape_s[max((M + 1) // 3, 0), max((N + 1) // 2, 1) - 1, 1]"},
    {"rows of a sparse matrix",
     in("for i = 0; i < N - 1; i = i + 1", in("row: for j = K[i]; j < K[i + 1]; j = j + 1", step(sine, "A[j]"))),
     "tape_s[N - 1, row_iterations, 1]"},
    {"rows of lengths that are read",
     in("for i = 0; i < N; i = i + 1", in("row: for j = 0; j < K[i]; j = j + 1", step(sine, "A[j]"))),
     "tape_s[N, row_iterations, 1]"},
    {"a triangle in each row",
     in("for i = 0; i < N; i = i + 1",
        in("row: for j = 0; j < K[i]; j = j + 1", in("for l = 0; l < j; l = l + 1", step(sine, "A[l]")))),
     "tape_s[N, row_iterations, loop_iterations, 1]"},
    {"until an error is small, or so many times", in("for i = 0; i < M and s > 0.5; i = i + 1", step(sine, "A[i]")),
     "tape_s[max(M, 0), 1], tape_last[1]"},
    {"until an error is small", in("loop: while s > 0.5", step(sine, "A[1]")), "tape_s[loop_iterations, 1], tape_last[1]"},
    {"a loop that is left, of a linear body",
     in("for i = 0; i < N; i = i + 1", "if A[i] > 1.2 {\n break\n}\n" + step("b + 2 * c", "A[i]")), "tape_last[1]"},
    {"a bound that the loop around changes",
     in("for i = 0; i < 3; i = i + 1", "state grow {\n t: o = k + 1  with k <- C[0]; o -> C[0]\n}\n" +
                                           in("inner: for j = 0; j < C[0]; j = j + 1", step(sine, "A[j]"))),
     "tape_s[3, inner_iterations, 1], tape_last[3]"},
    {"the interior of an array that a loop overwrites",
     in("for t = 0; t < T; t = t + 1",
        "state sweep {\n map m[p = 1:N - 1] with <- A[0:N]; -> A[1:N - 1] {\n t: o = sin(a)  with a <- "
        "A[p]; o -> A[p]\n}\n}\n"),
     "tape_A[max(T, 0), max(N, 2) - 2]"},
    {"a search",
     "lo = 0\n state first {}\n hi = N\n" +
         in("search: while hi - lo > 1",
            "state halve {}\n mid = (lo + hi) // 2\n" + step(sine, "A[mid]") + "lo = mid\n state next {}\n"),
     "tape_s[search_iterations, 1], tape_mid[search_iterations], tape_last[1]"},
    {"iterations of some rows only",
     in("for i = 0; i < N; i = i + 1", "if K[i] > 1 {\n" + in("for j = 0; j < M; j = j + 1", step(sine, "A[j]")) + "}\n"),
     "tape_s[N, max(M, 0), 1]"},
};

} // namespace

TEST_CASE("Examples of sizes") {
    for (const Example &e : examples) {
        INFO(e.what);
        Differentiated d(program(e.body), "out", "A x");
        d.set("N", 5).set("M", 4).set("T", 3).set("K", std::vector<double>{0, 2, 2, 3, 4}).check();
        CHECK(d.tapes() == e.tapes);
    }
}
