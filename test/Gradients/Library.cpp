// Gradients of library nodes: flags, batches, factors, and results that are accumulated.
#include "Gradient.h"
#include "SourceTree.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

struct Call {
    std::string text;          // of the node
    std::string a, b, c;       // shapes of the operands `A` and `B` and of the result `C`
    std::string wrt = "A B C"; // the gradient with respect to the old C is zero, or passed on if the node adds to C
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

TEST_CASE("Every node with a derivative has a test of it") {
    std::string tests;
    for (const char *name : {"Library", "Tangents"})
        tests += *file::read(std::string(SDFGC_SOURCE_DIR) + "/test/Gradients/" + name + ".cpp");
    for (const libnodes::Definition &d : libnodes::all()) {
        INFO(d.library << "." << d.className);
        const bool isTested = tests.find(std::string(d.library) + "." + std::string(d.className) + " ") != std::string::npos;
        CHECK((isTested || d.gradient == libnodes::Gradient::None || d.gradient == libnodes::Gradient::Passive));
    }
}

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
    check(sum("ij,jk", "M, K", "K, N", "M, N")); // the result has the letters that occur once
    check(sum("i,j->ij", "M", "N", "M, N"));
    check(sum("ij,ij->i", "M, K", "M, K", "M"));
    check(sum("bij,bjk->bik", "L, M, K", "L, K, N", "L, M, N"));
    CHECK(errors(sum("ij,k->k", "M, K", "N", "N")) == "SD4707 there is no derivative of Einsum: an operand has a dimension that no "
                                                      "other tensor has, or the same dimension twice");
}

TEST_CASE("Contractions of tensors over paired axes") {
    const auto dot = [](const std::string &axes, const std::string &a, const std::string &b, const std::string &c) {
        const auto full = [](const std::string &s) {
            std::string out;
            for (const char each : s)
                out += each >= 'A' && each <= 'Z' ? std::string("0:") + each : std::string(1, each);
            return out;
        };
        return Call{"linalg.TensorDot t (" + axes + ") with _left_tensor <- A[" + full(a) + "], _right_tensor <- B[" + full(b) +
                        "]; _out_tensor -> C[" + full(c) + "]",
                    a, b, c};
    };
    check(dot("left_axes = [1], right_axes = [0]", "M, K", "K, N", "M, N"));
    check(dot("left_axes = [0, 2], right_axes = [1, 0]", "M, N, K", "K, M, L", "N, L"));
    check(dot("left_axes = [1], right_axes = [0], permutation = [2, 0, 1]", "M, K", "K, N, L", "L, M, N"));
}

TEST_CASE("Nodes whose derivative is that of their expansion") {
    check({"blas.Ger g (alpha = 2) with _x <- A[0:M], _y <- B[0:N], _A <- C[0:M, 0:N]; _res -> C[0:M, 0:N]", "M", "N", "M, N"});
    check({"blas.Ger g with _x <- A[0:M], _y <- B[0:N], _A <- D[0:M, 0:N]; _res -> C[0:M, 0:N]", "M", "N", "M, N", "A B C D",
           "argument D: float64[M, N]\n"});
    check({"blas.Axpy a (a = 3) with _x <- A[0:N], _y <- B[0:N]; _res -> C[0:N]", "N", "N", "N"});
    check({"blas.Axpy a (a = 0.5) with _x <- A[0:N], _y <- C[0:N]; _res -> C[0:N]", "N", "1", "N", "A C"});
    check({"standard.MemsetLibraryNode z with _mset_out -> C[0:2]\n scale: c = b * b  with b <- B[0]; c -> C[2]", "1", "1", "N",
           "B C"});
    check({"stencil.Stencil s (code = \"b[0] = a[-1] * a[1] - a[0]\") with a <- A[0:N]; b -> C[0:N]", "N", "1", "N", "A C"});
}

TEST_CASE("Nodes whose results are no real numbers") {
    checkGradient(R"(
        sdfg f(A, out) {
          symbol N: int64
          argument A: float64[N]
          argument out: float64[1]
          transient is: bool[N]
          transient any: bool
          transient all: bool
          state compare {
            map m[i = 0:N] with <- A[0:N]; -> is[0:N] {
              t: o = a > 1  with a <- A[i]; o -> is[i]
            }
          }
          state test {
            library standard.AnyNode n with _mask <- is[0:N]; _out -> any
            library standard.AllNode l with _mask <- is[0:N]; _out -> all
          }
          state use {
            u: o = (a * a if p else sin(a)) + (a if q else 2 * a)  with a <- A[0], p <- any, q <- all; o -> out[0]
          }
        }
    )",
                  {{"N", 4}});
}

TEST_CASE("Nodes with copies and constants") {
    check({"standard.CopyLibraryNode c with _cpy_in <- A[0:M, 0:N]; _cpy_out -> C[0:M, 0:N]", "M, N", "1", "M, N", "A C"});
    check({"standard.FillLibraryNode f (value = 2) with _fill_out -> C[0:2]\n scale: c = b * b  with b <- B[0]; c -> C[2]", "1",
           "1", "N", "B C"});
    check({"standard.FillLibraryNode f with _fill_val <- B[0]; _fill_out -> C[0:N]", "1", "1", "N", "B C"});
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

TEST_CASE("Products with a matrix in compressed rows") {
    const auto check = [](const std::string &node, const std::string &b, const std::string &c, const std::string &wrt) {
        const std::string text = "sdfg f(R, K, V, B, C, D) {\n symbol N: int64\n argument R: int32[4]\n argument K: int32[5]\n"
                                 " argument V: float64[5]\n argument B: float64[" +
                                 b + "]\n argument C: float64[" + c + "]\n argument D: float64[" + c + "]\n state s {\n library " +
                                 node + "\n }\n}\n";
        INFO(text);
        Differentiated(text, "C", wrt).set("N", 2).set("R", {0, 2, 2, 5}).set("K", {1, 3, 0, 1, 3}).check();
    };
    const std::string matrix = " with _a_rows <- R[0:4], _a_cols <- K[0:5], _a_vals <- V[0:5], _b <- ";
    check("sparse.CSRMV p" + matrix + "B[0:4]; _c -> C[0:3]", "4", "3", "V B C");
    check("sparse.CSRMV p (alpha = 3, beta = 0.5)" + matrix + "B[0:4], _cin <- D[0:3]; _c -> C[0:3]", "4", "3", "V B C D");
    check("sparse.CSRMV p (alpha = 3, beta = 0.5)" + matrix + "B[0:4]; _c -> C[0:3]", "4", "3", "V B C");
    check("sparse.CSRMM p" + matrix + "B[0:4, 0:N]; _c -> C[0:3, 0:N]", "4, N", "3, N", "V B C");
    check("sparse.CSRMM p (transB = true, alpha = 2)" + matrix + "B[0:N, 0:4]; _c -> C[0:3, 0:N]", "N, 4", "3, N", "V B C");
}

TEST_CASE("Transpositions with factors") {
    for (const char *factors : {"", ", alpha = 3", ", alpha = 0.5, beta = 2", ", beta = 1"})
        check({"linalg.TensorTranspose t (axes = [2, 0, 1]" + std::string(factors) +
                   ") with _inp_tensor <- A[0:M, 0:N, 0:K]; _out_tensor -> C[0:K, 0:M, 0:N]",
               "M, N, K", "1", "K, M, N", "A C"});
}

TEST_CASE("Products of many factors, with zeros among them") {
    for (const std::vector<double> &a :
         {std::vector<double>{2, 3, 0.5, -1, 1.5, 0.25}, {2, 0, 0.5, -1, 1.5, 0.25}, {2, 0, 0.5, 0, 0, 0.25}})
        for (const char *axes : {"[0]", "[1]"}) {
            const bool first = axes[1] == '0';
            const Call n{"standard.Reduce r (axes = " + std::string(axes) +
                             ", identity = 1, wcr = \"lambda a, b: a * b\") with <- A[0:M, 0:N]; -> C[0:" + (first ? "N" : "M") +
                             "]",
                         "M, N", "1", first ? "N" : "M", "A C"};
            Differentiated(program(n), "C", n.wrt).set("M", 2).set("N", 3).set("K", 1).set("L", 1).set("A", a).check();
        }
}

TEST_CASE("Reductions that combine with what was there") {
    for (const char *wcr : {"a + b", "a * b", "max(a, b)", "min(a, b)"}) {
        check({"standard.Reduce r (axes = [1], wcr = \"lambda a, b: " + std::string(wcr) + "\") with <- A[0:M, 0:N]; -> C[0:M]",
               "M, N", "1", "M", "A C"});
        check({"standard.Reduce r (wcr = \"lambda a, b: " + std::string(wcr) + "\") with <- A[0:M, 0:N]; -> C[0]", "M, N", "1", "1",
               "A C"});
    }
    // Without previous values.
    checkGradient("sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N]\n argument out: float64[1]\n transient m: float64\n"
                  " state a {\n library standard.Reduce r (wcr = \"lambda a, b: a * b\") with <- A[0:N]; -> m\n }\n"
                  " state b {\n t: o = x * x  with x <- m; o -> out[0]\n }\n}\n",
                  {{"N", 4}});
}

TEST_CASE("Nodes whose result is an update") {
    check({"blas.MatMul m with _a <- A[0:M, 0:K], _b <- B[0:K, 0:N]; _c -> C[0:M, 0:N] (+)", "M, K", "K, N", "M, N"});
    check({"blas.MatMul m with _a <- A[0:M, 0:K], _b <- B[0:K, 0:N]; _c -> C[0:M, 0:N] (*)", "M, K", "K, N", "M, N"});
    check({"standard.Reduce r (axes = [0], wcr = \"lambda a, b: max(a, b)\") with <- A[0:M, 0:N]; -> C[0:N] (+)", "M, N", "1", "N",
           "A C"});
}

namespace {

/// A square matrix A of `n` rows, B with the shape `right`, results C (like B) and L (like A), and further declarations.
std::string systems(const std::string &right, const std::string &more, const std::string &states) {
    return "sdfg f(A, B, C, L) {\n symbol N: int64\n argument A: float64[N, N]\n argument B: float64[" + right +
           "]\n argument C: float64[" + right + "]\n argument L: float64[N, N]\n" + more + states + "}\n";
}

std::string node(const std::string &text) {
    return " state s_" + std::to_string(std::hash<std::string>()(text)) + " {\n library " + text + "\n }\n";
}

/// Positive definite if it is symmetric, with large elements off the diagonal if rows are to be exchanged.
std::vector<double> squareMatrix(int n, bool exchanges = false) {
    std::vector<double> a;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            a.push_back(((i + (exchanges ? 2 : 0)) % n == j ? 4.0 + i : 0.0) + 0.3 + 0.1 * ((3 * i + 5 * j) % 7));
    return a;
}

void checkSystem(const std::string &text, const std::string &of, const std::string &wrt, int n, bool exchanges = false) {
    INFO(text);
    Differentiated(text, of, wrt).set("N", n).set("A", squareMatrix(n, exchanges)).check();
}

} // namespace

TEST_CASE("Cholesky factors of both triangles") {
    for (const int n : {1, 2, 5})
        for (const char *lower : {"true", "false"}) {
            const std::string flag = "(lower = " + std::string(lower) + ")";
            checkSystem(systems("N", "", node("linalg.Cholesky c " + flag + " with _a <- A[0:N, 0:N]; _b -> L[0:N, 0:N]")), "L",
                        "A", n);
            checkSystem(systems("N", "", node("lapack.Potrf c " + flag + " with _xin <- A[0:N, 0:N]; _xout -> L[0:N, 0:N]")), "L",
                        "A", n);
            checkSystem(systems("N", "", node("lapack.Potrf c " + flag + " with _xin <- A[0:N, 0:N]; _xout -> A[0:N, 0:N]")), "A",
                        "A", n);
        }
}

TEST_CASE("Solutions with one triangle") {
    for (int form = 0; form < 16; ++form) {
        const bool left = form & 8;
        const auto flag = [&](const char *name, int bit) { return std::string(name) + " = " + (form & bit ? "true" : "false"); };
        const std::string part = left ? "0:N, 0:3" : "0:3, 0:N", flags = "(" + flag("lower", 1) + ", " + flag("transA", 2) + ", " +
                                                                         flag("unit", 4) + ", " + flag("left", 8) + ")";
        checkSystem(systems(left ? "N, 3" : "3, N", "",
                            node("blas.Trsm t " + flags + " with _a <- A[0:N, 0:N], _b <- B[" + part + "]; _c -> C[" + part + "]")),
                    "C", "A B", 4);
    }
    checkSystem(systems("N, 2", "", node("blas.Trsm t with _a <- A[0:N, 0:N], _b <- B[0:N, 0:2]; _c -> B[0:N, 0:2]")), "B", "A B",
                3);
}

TEST_CASE("LU factors, solutions and inverses from them") {
    const std::string pivots = " transient P: int32[N]\n",
                      factor = node("lapack.Getrf f with _xin <- A[0:N, 0:N]; _xout -> L[0:N, 0:N], _ipiv -> P[0:N]");
    for (const bool exchanges : {false, true}) {
        checkSystem(systems("N", pivots, factor), "L", "A", 4, exchanges);
        checkSystem(systems("N", pivots, node("lapack.Getrf f with _xin <- A[0:N, 0:N]; _xout -> A[0:N, 0:N], _ipiv -> P[0:N]")),
                    "A", "A", 4, exchanges);
        for (const std::string &columns : {std::string(), std::string(", 2")}) {
            const std::string part = columns.empty() ? "0:N" : "0:N, 0:2",
                              solve = "lapack.Getrs s with _a <- L[0:N, 0:N], _ipiv <- P[0:N], _rhs_in <- B[" + part +
                                      "]; _rhs_out -> ";
            checkSystem(systems("N" + columns, pivots, factor + node(solve + "C[" + part + "]")), "C", "A B", 4, exchanges);
            checkSystem(systems("N" + columns, pivots, factor + node(solve + "B[" + part + "]")), "B", "A B", 4, exchanges);
        }
        checkSystem(systems("N, N", pivots,
                            factor + node("lapack.Getri i with _xin <- L[0:N, 0:N], _ipiv <- P[0:N]; _xout -> C[0:N, 0:N]")),
                    "C", "A", 4, exchanges);
        checkSystem(systems("N, N", pivots,
                            factor + node("lapack.Getri i with _xin <- L[0:N, 0:N], _ipiv <- P[0:N]; _xout -> L[0:N, 0:N]")),
                    "L", "A", 4, exchanges);
    }
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

TEST_CASE("Operands and results that are seen through views") {
    const auto viewed = [](const std::string &node, const std::string &more = "") {
        return "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N * N]\n argument out: float64[N * N]\n view V: "
               "float64[N, N]\n"
               " view W: float64[N, N]\n transient T: float64[N * N]\n transient P: int32[N]\n" +
               more + " state s {\n A[0:N*N] -> new V:views\n library " + node +
               "\n @W:views -> T[0:N*N]\n }\n state last {\n map m[i = 0:N*N] with <- T[0:N*N]; -> out[0:N*N] {\n t: o = sin(t)  "
               "with t <- T[i]; o -> "
               "out[i]\n }\n }\n}\n";
    };
    for (const std::string &text :
         {viewed("linalg.Cholesky c with _a <- V[0:N, 0:N]; _b -> new W[0:N, 0:N]"),
          viewed("linalg.Inv c with _ain <- V[0:N, 0:N]; _aout -> new W[0:N, 0:N]"),
          viewed("blas.Ger c with _x <- b[0:N], _y <- b[0:N], _A <- V[0:N, 0:N]; _res -> new W[0:N, 0:N]",
                 " argument b: float64[N]\n"),
          viewed("blas.Ger c with _x <- V[0, 0:N], _y <- V[1, 0:N], _A <- V[0:N, 0:N]; _res -> new W[0:N, 0:N]"),
          viewed("blas.Trsm c with _a <- V[0:N, 0:N], _b <- V[0:N, 0:N]; _c -> new W[0:N, 0:N]"),
          viewed("standard.CopyLibraryNode c with _cpy_in <- V[0:N, 0:N]; _cpy_out -> new W[0:N, 0:N]")}) {
        INFO(text);
        Differentiated d(text, "out", "A");
        d.set("N", 3).set("A", squareMatrix(3));
        d.checkGradients();
    }
    const std::string rows =
        "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N * N]\n argument out: float64[N]\n view V: float64[N, N]\n"
        " state s {\n A[0:N*N] -> new V:views\n library blas.Axpy c (a = 2) with _x <- V[0, 0:N], _y <- V[1, 0:N]; _res -> "
        "out[0:N]\n }\n}\n";
    checkGradient(rows, {{"N", 3}});
    for (const char *wcr : {"a + b", "a * b", "max(a, b)"}) {
        const std::string text =
            "sdfg f(A, out) {\n symbol N: int64\n argument A: float64[N * N]\n argument out: float64[N]\n view V: float64[N, N]\n"
            " state s {\n A[0:N*N] -> new V:views\n library standard.Reduce r (axes = [0], wcr = \"lambda a, b: " +
            std::string(wcr) + "\") with <- V[0:N, 0:N]; -> out[0:N]\n }\n}\n";
        INFO(text);
        checkGradient(text, {{"N", 3}}, "out", "A out");
    }
}

TEST_CASE("Products of batches with four dimensions, one of which may have a single element") {
    for (const char *node : {"blas.MatMul", "blas.BatchedMatMul"})
        for (const auto &[a, b, c] : {std::tuple("L, M, M, K", "L, M, K, N", "L, M, M, N"),
                                      {"1, L, M, K", "1, L, K, N", "1, L, M, N"},
                                      {"L, 1, M, K", "L, 1, K, N", "L, 1, M, N"},
                                      {"1, L, M, K", "M, L, K, N", "M, L, M, N"},
                                      {"L, M, M, K", "L, 1, K, N", "L, M, M, N"},
                                      {"1, 1, M, K", "1, 1, K, N", "1, 1, M, N"}}) {
            const auto full = [](const std::string &s) {
                std::string out;
                for (const char each : s)
                    out += each >= '0' ? std::string("0:") + each : std::string(1, each);
                return out;
            };
            check({std::string(node) + " m with _a <- A[" + full(a) + "], _b <- B[" + full(b) + "]; _c -> C[" + full(c) + "]", a, b,
                   c});
        }
}

TEST_CASE("A choice by a reduction of booleans") {
    struct Case {
        const char *wcr, *identity;
    };
    for (const Case &c : std::initializer_list<Case>{{"a or b", "false"}, {"a and b", "true"}}) {
        INFO(c.wcr);
        const std::string text = replaced(R"(
            sdfg f(A, out) {
              symbol N: int64
              argument A: float64[N]
              argument out: float64[1]
              transient is: bool[N]
              transient holds: bool
              state compare {
                map m[i = 0:N] with <- A[0:N]; -> is[0:N] {
                  t: o = a > 1  with a <- A[i]; o -> is[i]
                }
              }
              state reduce {
                library standard.Reduce r (identity = $identity, wcr = "lambda a, b: $wcr") with <- is[0:N]; -> holds
              }
              state use {
                t: o = a * b if p else sin(a)  with a <- A[0], b <- A[1], p <- holds; o -> out[0]
              }
            }
        )",
                                          {{"$identity", c.identity}, {"$wcr", c.wcr}});
        for (const std::vector<double> &a : {std::vector<double>{0.5, 0.75, 0.875}, {0.5, 1.25, 0.875}, {1.5, 1.25, 1.125}}) {
            Differentiated d(text, "out", "A");
            d.set("N", 3).set("A", a).check();
            const Arrays gradients = d.run(d.input(), {{"out", {1}}});
            const auto isLarge = [](double each) { return each > 1; };
            const bool holds =
                c.wcr[2] == 'o' ? std::any_of(a.begin(), a.end(), isLarge) : std::all_of(a.begin(), a.end(), isLarge);
            CHECK((gradients.at("gradient_A")[1] != 0) == holds);
        }
    }
}
