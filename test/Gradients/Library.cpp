// Gradients of library nodes: flags, batches, factors, and results that are added to.
#include "Gradient.h"

#include <catch2/catch.hpp>

using namespace sdfgc::test;

namespace {

struct Call {
    std::string text;          // of the node
    std::string a, b, c;       // shapes of the operands `A` and `B` and of the result `C`
    std::string wrt = "A B C"; // the gradient of what C held is zero, or what is added to it
    std::string more = "";
};

std::string program(const Call &n) {
    return "sdfg f(A, B, C) {\n symbol M, N, K, L: int64\n argument A: float64[" + n.a + "]\n argument B: float64[" + n.b +
           "]\n argument C: float64[" + n.c + "]\n" + n.more + " state main {\n library " + n.text + "\n }\n}\n";
}

void check(const Call &n) {
    INFO(program(n));
    Differentiated d(program(n), "C", n.wrt);
    d.set("M", 2).set("N", 3).set("K", 4).set("L", 2).check();
}

std::string errors(const Call &n) { return Differentiated(program(n), "C", n.wrt).errors(); }

} // namespace

TEST_CASE("Products of matrices with all flags") {
    for (const bool transA : {false, true})
        for (const bool transB : {false, true}) {
            const std::string a = transA ? "K, M" : "M, K", b = transB ? "N, K" : "K, N";
            const auto full = [](const std::string &s) { return "0:" + s.substr(0, 1) + ", 0:" + s.substr(3); };
            const std::string flags =
                "transA = " + std::string(transA ? "true" : "false") + ", transB = " + std::string(transB ? "true" : "false");
            for (const char *factors : {"", ", alpha = 0.5", ", alpha = 2, beta = 0"})
                check({"blas.Gemm g (" + flags + factors + ") with _a <- A[" + full(a) + "], _b <- B[" + full(b) +
                           "]; _c -> C[0:M, 0:N]",
                       a, b, "M, N"});
            for (const char *factors : {", beta = 1", ", alpha = 0.5, beta = 0.25"}) {
                check({"blas.Gemm g (" + flags + factors + ") with _a <- A[" + full(a) + "], _b <- B[" + full(b) +
                           "], _cin <- C[0:M, 0:N]; _c -> C[0:M, 0:N]",
                       a, b, "M, N", "A B C"});
                check({"blas.Gemm g (" + flags + factors + ") with _a <- A[" + full(a) + "], _b <- B[" + full(b) +
                           "], _cin <- D[0:M, 0:N]; _c -> C[0:M, 0:N]",
                       a, b, "M, N", "A B C D", "argument D: float64[M, N]\n"});
            }
        }
}

TEST_CASE("Products of matrices and vectors") {
    check({"blas.MatMul m with _a <- A[0:M, 0:K], _b <- B[0:K, 0:N]; _c -> C[0:M, 0:N]", "M, K", "K, N", "M, N"});
    check({"blas.MatMul m with _a <- A[0:M, 0:K], _b <- B[0:K]; _c -> C[0:M]", "M, K", "K", "M"});
    check({"blas.MatMul m with _a <- A[0:K], _b <- B[0:K, 0:N]; _c -> C[0:N]", "K", "K, N", "N"});
    check({"blas.Dot d with _x <- A[0:K], _y <- B[0:K]; _result -> C[0]", "K", "K", "1"});
    for (const char *factors : {"", ", alpha = 0.5, beta = 0", ", alpha = 3, beta = 2", ", beta = 1"}) {
        check({"blas.Gemv v (transA = false" + std::string(factors) +
                   ") with _A <- A[0:M, 0:K], _x <- B[0:K], _y <- C[0:M]; _y -> C[0:M]",
               "M, K", "K", "M", "A B C"});
        check({"blas.Gemv v (transA = true" + std::string(factors) +
                   ") with _A <- A[0:K, 0:M], _x <- B[0:K], _y <- C[0:M]; _y -> C[0:M]",
               "K, M", "K", "M", "A B C"});
    }
}

TEST_CASE("A matrix times itself") {
    check({"blas.MatMul m with _a <- A[0:M, 0:M], _b <- A[0:M, 0:M]; _c -> C[0:M, 0:M]", "M, M", "M, M", "M, M", "A C"});
    check({"blas.Gemm m (transB = true) with _a <- A[0:M, 0:K], _b <- A[0:M, 0:K]; _c -> C[0:M, 0:M]", "M, K", "M, K", "M, M",
           "A C"});
}

TEST_CASE("Batches that broadcast") {
    check({"blas.BatchedMatMul m with _a <- A[0:L, 0:M, 0:K], _b <- B[0:L, 0:K, 0:N]; _c -> C[0:L, 0:M, 0:N]", "L, M, K", "L, K, N",
           "L, M, N"});
    check({"blas.BatchedMatMul m with _a <- A[0:M, 0:K], _b <- B[0:L, 0:K, 0:N]; _c -> C[0:L, 0:M, 0:N]", "M, K", "L, K, N",
           "L, M, N"});
    check({"blas.BatchedMatMul m with _a <- A[0:L, 0:M, 0:K], _b <- B[0:K, 0:N]; _c -> C[0:L, 0:M, 0:N]", "L, M, K", "K, N",
           "L, M, N"});
}

TEST_CASE("Sums of products in Einstein's notation") {
    const auto sum = [](const std::string &notation, const std::string &a, const std::string &b, const std::string &c) {
        const auto full = [](const std::string &s) {
            std::string out;
            for (const char each : s)
                out += each >= 'A' && each <= 'Z' ? std::string("0:") + each : std::string(1, each);
            return out;
        };
        return Call{"blas.Einsum e (einsum_str = \"" + notation + "\") with _a <- A[" + full(a) + "], _b <- B[" + full(b) +
                        "]; _out -> C[" + full(c) + "]",
                    a, b, c};
    };
    check(sum("ij,jk->ik", "M, K", "K, N", "M, N"));
    check(sum("ij,jk->ki", "M, K", "K, N", "N, M"));
    check(sum("i,j->ij", "M", "N", "M, N"));
    check(sum("ij,ij->i", "M, K", "M, K", "M"));
    check(sum("bij,bjk->bik", "L, M, K", "L, K, N", "L, M, N"));
    CHECK(errors(sum("ij,k->k", "M, K", "N", "N")) ==
          "SD4707 there is no derivative of Einsum: an operand has a dimension that nothing else has, or one twice");
}

TEST_CASE("Transpositions and reductions") {
    check({"linalg.Transpose t with _inp <- A[0:M, 0:N]; _out -> C[0:N, 0:M]", "M, N", "1", "N, M", "A C"});
    check({"standard.Reduce r (axes = [1], identity = 0, wcr = \"lambda a, b: a + b\") with <- A[0:M, 0:N, 0:K]; -> C[0:M, 0:K]",
           "M, N, K", "1", "M, K", "A C"});
    for (const char *wcr : {"max", "min"})
        check({"standard.Reduce r (axes = [0], identity = " + std::string(wcr[1] == 'a' ? "-99" : "99") +
                   ", wcr = \"lambda a, b: " + wcr + "(a, b)\") with <- A[0:M, 0:N]; -> C[0:N]",
               "M, N", "1", "N", "A C"});
}

TEST_CASE("Factorisations") {
    const std::string begin = "sdfg f(A, B, C) {\n argument A: float64[3, 3]\n argument B: float64[3, 2]\n argument C: float64[";
    const auto text = [&](const std::string &shape, const std::string &node) {
        return begin + shape + "]\n state main {\n library " + node + "\n }\n}\n";
    };
    const std::vector<double> a{4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 5};
    Differentiated(text("3, 2", "linalg.Solve s with _ain <- A[0:3, 0:3], _bin <- B[0:3, 0:2]; _bout -> C[0:3, 0:2]"), "C", "A B")
        .set("A", a)
        .check();
    Differentiated(text("3, 3", "linalg.Inv s with _ain <- A[0:3, 0:3]; _aout -> C[0:3, 0:3]"), "C", "A").set("A", a).check();
    Differentiated(text("3, 3", "linalg.Cholesky s (lower = true) with _a <- A[0:3, 0:3]; _b -> C[0:3, 0:3]"), "C", "A")
        .set("A", a)
        .check();
}
