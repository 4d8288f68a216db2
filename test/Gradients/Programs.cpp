// Small programs like those in the tests of DaCe's differentiation (tests/autodiff): a single state, several states, nested SDFGs.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

/// `map m[i, j]` over a matrix, with a tasklet that reads an element of each of `in` at x0, x1, ... and writes `out`.
std::string overMatrix(const std::string &in, const std::string &out, const std::string &code, const std::string &how = "",
                       const std::string &element = "i, j") {
    std::string reads, elements;
    int k = 0;
    for (const char c : in) {
        reads += (k ? ", <- " : "<- ") + std::string(1, c) + "[0:N, 0:M]";
        elements += (k ? ", x" : "x") + std::to_string(k) + " <- " + std::string(1, c) + "[i, j]";
        ++k;
    }
    const std::string whole = element == "i, j" ? "[0:N, 0:M]" : "[" + element + "]";
    return "map m[i = 0:N, j = 0:M] with " + reads + "; -> " + out + whole + " " + how + " {\n t: " + code + "  with " + elements +
           "; o -> " + out + "[" + element + "] " + how + "\n }\n";
}

void check(const std::string &declarations, const std::string &body, const std::string &wrt) {
    const std::string text = "sdfg f {\n symbol N, M, K: int64\n argument out: float64[1]\n" + declarations + body + "}\n";
    INFO(text);
    checkGradient(text, {{"N", 4}, {"M", 3}, {"K", 5}}, "out", wrt);
}

const std::string matrices =
    " argument X: float64[N, M]\n argument Y: float64[N, M]\n transient Z: float64[N, M]\n transient W: float64[N, M]\n";

std::string state(const std::string &name, const std::string &body) { return " state " + name + " {\n " + body + " }\n"; }

} // namespace

TEST_CASE("A product of matrices, summed up") {
    check(" argument A: float64[N, K]\n argument B: float64[K, M]\n transient Z: float64[N, M]\n",
          state("product", "library blas.MatMul p with _a <- A[0:N, 0:K], _b <- B[0:K, 0:M]; _c -> Z[0:N, 0:M]\n") +
              state("sum", overMatrix("Z", "out", "o = x0", "(+)", "0")),
          "A B");
}

TEST_CASE("Squares of a sum, by a simple tasklet and by a long one") {
    for (const char *code : {"o = x0 * x0", "p = x0 + 1; d = log(3.0); q = x0 - 1 * (2 / 2); o = p * q"})
        check(matrices, state("add", overMatrix("XY", "Z", "o = x0 + x1")) + state("sum", overMatrix("Z", "out", code, "(+)", "0")),
              "X Y");
}

TEST_CASE("Tasklets alone: of one argument, of two, with two results") {
    const std::string scalars =
        " argument A: float64[1]\n argument B: float64[1]\n transient p: float64\n transient q: float64\n transient r: float64\n";
    check(scalars,
          state("s", "a: o = sqrt(x)  with x <- A[0]; o -> p\n b: o = log(x + 1)  with x <- A[0]; o -> q\n"
                     " c: o = x * y  with x <- p, y <- q; o -> out[0]\n"),
          "A");
    check(scalars,
          state("s", "a: o = sqrt(x)  with x <- A[0]; o -> p\n b: o = log(x + 1)  with x <- B[0]; o -> q\n"
                     " c: o = x * y  with x <- p, y <- q; o -> out[0]\n"),
          "A B");
    check(scalars,
          state("s", "a: o = sqrt(x)  with x <- A[0]; o -> p\n b: o = log(x + 1); d = x  with x <- B[0]; o -> q, d -> r\n"
                     " c: o = x * y * z  with x <- p, y <- q, z <- r; o -> out[0]\n"),
          "A B");
}

TEST_CASE("A transposition, a product and a logarithm") {
    check(" argument A: float64[N, K]\n argument X: float64[N, M]\n argument Y: float64[N, M]\n transient T: float64[K, N]\n"
          " transient W: float64[N, M]\n transient Z: float64[K, M]\n",
          state("first", "library linalg.Transpose t with _inp <- A[0:N, 0:K]; _out -> T[0:K, 0:N]\n " +
                             overMatrix("XY", "W", "o = x0 * x1")) +
              state("product", "library blas.MatMul p with _a <- T[0:K, 0:N], _b <- W[0:N, 0:M]; _c -> Z[0:K, 0:M]\n") +
              state("sum", "map m[i = 0:K, j = 0:M] with <- Z[0:K, 0:M]; -> out[0] (+) {\n t: o = log(z + 1)  with z <- Z[i, j]; o "
                           "-> out[0] (+)\n }\n"),
          "A X Y");
}

TEST_CASE("Reductions of one dimension, then of all") {
    for (const char *how : {"identity = 0, wcr = \"lambda a, b: a + b\"", "identity = \"-inf\", wcr = \"lambda a, b: max(a, b)\"",
                            "identity = \"inf\", wcr = \"lambda a, b: min(a, b)\""})
        check(
            " argument V: float64[K, N, M]\n argument Y: float64[N, M]\n transient Z: float64[N, M]\n transient W: float64[N, M]\n",
            state("first",
                  "library standard.Reduce r (axes = [0], " + std::string(how) + ") with <- V[0:K, 0:N, 0:M]; -> Z[0:N, 0:M]\n") +
                state("product", overMatrix("ZY", "W", "o = log(x0 * x1 + 1)")) +
                state("sum",
                      "library standard.Reduce s (identity = 0, wcr = \"lambda a, b: a + b\") with <- W[0:N, 0:M]; -> out[0]\n"),
            "V Y");
}

TEST_CASE("A vector that is seen as a matrix") {
    check(" argument V: float64[N*M]\n argument b: float64[M]\n view R: float64[N, M]\n transient U: float64[N*M]\n",
          state("s", "map first[k = 0:N*M] with <- V[0:N*M]; -> U[0:N*M] {\n t: o = v + 1  with v <- V[k]; o -> U[k]\n }\n"
                     " U[0:N*M] -> new R:views\n map m[i = 0:N, j = 0:M] with <- R[0:N, 0:M], <- b[0:M]; -> out[0] (+) {\n"
                     " u: o = log(r * c + 1)  with r <- R[i, j], c <- b[j]; o -> out[0] (+)\n }\n"),
          "V b");
}

TEST_CASE("Branches on an element, with both ways to the end") {
    for (const double first : {0.3, 0.9}) {
        const std::string text = "sdfg f {\n symbol N, M: int64\n argument out: float64[1]\n" + matrices +
                                 state("before", overMatrix("X", "Z", "o = 2 * x0")) + " if X[0, 0] > 0.5  {\n" +
                                 state("more", overMatrix("Z", "Z", "o = x0 * x0")) + " }\n" +
                                 state("sum", overMatrix("Z", "out", "o = sin(x0)", "(+)", "0")) + "}\n";
        INFO(text);
        Differentiated(text, "out", "X").set("N", 1).set("M", 2).set("X", {first, 0.7}).check();
    }
}

TEST_CASE("A loop that adds, and a state with two results") {
    check(matrices,
          " for K = 0; K < 3; K = K + 1 {\n" + state("step", overMatrix("XY", "X", "o = x0 + x1 * x1")) + " }\n" +
              state("sum", overMatrix("X", "out", "o = x0 * x0", "(+)", "0")),
          "X Y");
    check(matrices,
          state("two", overMatrix("X", "Z", "o = 2 * x0") + " " + overMatrix("X", "W", "o = x0 + 1")) +
              state("sum", overMatrix("ZW", "out", "o = x0 * x1", "(+)", "0")),
          "X");
}

TEST_CASE("The largest element of each window, in loops") {
    const std::string
        window = "library standard.Reduce r (axes = [0, 1], identity = \"-inf\", wcr = \"lambda a, b: max(a, b)\") "
                 "with <- A[2*i:2*i+2, 2*j:2*j+2]; -> W[i, j]\n",
        sum = "library standard.Reduce s (identity = 0, wcr = \"lambda a, b: a + b\") with <- W[0:N, 0:N]; -> out[0]\n",
        text = "sdfg f(A, out) {\n symbol N, i, j: int64\n argument A: float64[2 * N, 2 * N]\n argument out: float64[1]\n"
               " transient W: float64[N, N]\n for i = 0; i < N; i = i + 1 {\n for j = 0; j < N; j = j + 1 {\n" +
               state("s", window) + " }\n }\n" + state("last", sum) + "}\n";
    Differentiated d(text, "out", "A");
    d.set("N", 2);
    d.check();
    // No state of one window remains for the next one: the largest elements have gradient one.
    const Arrays gradients = d.run(d.input(), {{"out", {1}}});
    for (const double g : gradients.at("gradient_A"))
        CHECK((g == 0 || g == 1));
}

TEST_CASE("Nested SDFGs, one in another, with values of their own") {
    const auto nested = [](const std::string &inside, const std::string &label) {
        return "nested " + label +
               "[N = N, M = M] with P: pointer(float64) <- P[0:N, 0:M]; Q: pointer(float64) -> Q[0:N, 0:M] {\n sdfg in_" + label +
               "(P, Q) {\n symbol N, M: int64\n argument P: float64[N, M]\n argument Q: float64[N, M]\n transient V: "
               "float64[N, M]\n" +
               state("first", overMatrix("P", "V", "o = sqrt(x0)")) + inside + "}\n }\n";
    };
    const std::string last = state("last", overMatrix("V", "Q", "o = log(x0)"));
    const auto program = [&](const std::string &call) {
        return "sdfg f {\n symbol N, M: int64\n argument out: float64[1]\n argument X: float64[N, M]\n transient P: float64[N, "
               "M]\n"
               " transient Q: float64[N, M]\n" +
               state("begin", overMatrix("X", "P", "o = sqrt(x0)")) + state("call", call) +
               state("sum", overMatrix("Q", "out", "o = x0", "(+)", "0")) + "}\n";
    };
    const std::string deep =
        state("middle", "nested n2[N = N, M = M] with P: pointer(float64) <- V[0:N, 0:M]; Q: pointer(float64) -> Q[0:N, 0:M] {\n"
                        " sdfg inner(P, Q) {\n symbol N, M: int64\n argument P: float64[N, M]\n argument Q: float64[N, M]\n"
                        " transient V: float64[N, M]\n" +
                            state("first", overMatrix("P", "V", "o = sqrt(x0)")) + last + "}\n }\n");
    for (const std::string &text : {program(nested(last, "n")), program(nested(deep, "n"))}) {
        INFO(text);
        checkGradient(text, {{"N", 3}, {"M", 2}}, "out", "X");
    }
}
