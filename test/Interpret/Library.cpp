// Faults that the interpreter detects at library nodes. Their results are tested in test/Numerics.
#include "Interpret/Interpreted.h"

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("a reduction without identity updates what has a value, and else begins with the first element", "[interpret]") {
    std::vector<double> a{1, 5, 2}, c{10, 0};
    Interpreted p(R"(sdfg f {
      argument A: float64[3]
      argument C: float64[2]
      transient T: float64[1]
      state s {
        library standard.Reduce sum (axes = null, wcr = "lambda a, b: a + b") with <- A[0:3]; -> C[0]
        library standard.Reduce most (axes = null, wcr = "lambda a, b: a if a > b else b") with <- A[0:3]; -> T[0]
        t: c = a  with a <- @T T[0]; c -> new C[1]
      }
    })");
    CHECK(p.bind("A", a).bind("C", c).run().empty());
    CHECK(c == std::vector<double>{18, 5});
}

TEST_CASE("library nodes read all of their operands", "[interpret]") {
    std::vector<double> c(2);
    Interpreted p(R"(sdfg f {
      transient T: float64[2]
      argument C: float64[2]
      state s {
        t: t = 1  with t -> T[0]
        library blas.MatMul product with _a <- T[0:2], _b <- T[0:2]; _c -> C[0]
      }
    })");
    CHECK(p.bind("C", c).run() == Kinds{FaultKind::NotWritten, FaultKind::NotWritten}); // at either connector
    CHECK(p.reports[0].what.find("element 1 of `T`") != std::string::npos);
    CHECK(p.reports[0].element == "f: state s, library node MatMul product");
}

TEST_CASE("rows of an array of which one is one long at the moment", "[interpret]") {
    std::vector<double> g{9, 9, 3, 9, 9, 9}, a{1, 2, 5, 1, 2, 7}, c{10, 20};
    Interpreted p(R"(sdfg f {
      symbol i, M: int64
      argument G: float64[2, 3]
      argument A: float64[2, 3]
      argument C: float64[2]
      state s {
        library blas.Einsum sum (einsum_str = "b,ab->a", alpha = "1", beta = "1") with _a <- G[i, i + 2:M], _c <- A[0:2, i + 2:M]; _out -> C[0:2]
      }
    })");
    CHECK(p.bind("G", g).bind("A", a).bind("C", c).set("i", 0).set("M", 3).run().empty());
    CHECK(c == std::vector<double>{25, 41});
}

TEST_CASE("a batch of which each matrix has one row at the moment", "[interpret]") {
    std::vector<double> a{1, 2, 3, 4}, b{5, 6}, c(2);
    Interpreted p(R"(sdfg f {
      symbol i, N: int64
      argument A: float64[2, N, 2]
      argument B: float64[2, 1]
      argument C: float64[2, N, 1]
      state s {
        library blas.Gemm product with _a <- A[i, 0:N, 0:2], _b <- B[0:2, 0:1]; _c -> C[i, 0:N, 0]
      }
    })");
    CHECK(p.bind("A", a).bind("B", b).bind("C", c).set("i", 1).set("N", 1).run().empty());
    CHECK(c == std::vector<double>{0, 39});
}

TEST_CASE("library nodes that nothing orders", "[interpret]") {
    std::vector<double> a{1, 2}, c(1);
    Interpreted p(R"(sdfg f {
      argument A: float64[2]
      argument C: float64[1]
      state s {
        library standard.Reduce sum (axes = null, wcr = "lambda a, b: a + b", identity = 0) with <- A[0:2]; -> C[0]
        library standard.Reduce product (axes = null, wcr = "lambda a, b: a * b", identity = 1) with <- new A[0:2]; -> new C[0]
      }
    })");
    CHECK(p.bind("A", a).bind("C", c).run() == Kinds{FaultKind::Race});
}

TEST_CASE("operands that do not fit each other", "[interpret]") {
    std::vector<double> a(6), b(6), c(4);
    Interpreted p(R"(sdfg f {
      symbol N: int64
      argument A: float64[2, 3]
      argument B: float64[6]
      argument C: float64[2]
      state s {
        library blas.MatMul product with _a <- A[0:2, 0:3], _b <- B[0:N]; _c -> C[0:2]
      }
    })");
    p.bind("A", a).bind("B", b).bind("C", c);
    CHECK(p.set("N", 3).run().empty());
    CHECK(p.set("N", 4).run() == Kinds{FaultKind::OutsideShape});
}

TEST_CASE("a column of a sparse matrix that is none", "[interpret]") {
    std::vector<int32_t> rows{0, 1, 2}, columns{0, 7};
    std::vector<double> values{2, 3}, b{4, 5}, c(2);
    Interpreted p(R"(sdfg f {
      argument R: int32[3]
      argument K: int32[2]
      argument V: float64[2]
      argument B: float64[2]
      argument C: float64[2]
      state s {
        library sparse.CSRMV product with _a_rows <- R[0:3], _a_cols <- K[0:2], _a_vals <- V[0:2], _b <- B[0:2]; _c -> C[0:2]
      }
    })");
    p.bind("R", rows).bind("K", columns).bind("V", values).bind("B", b).bind("C", c);
    CHECK(p.run() == Kinds{FaultKind::Outside});
    CHECK(c == std::vector<double>{8, 0});
}

TEST_CASE("a stencil in place whose points read their neighbours", "[interpret]") {
    std::vector<double> a{1, 2, 3, 4};
    Interpreted p(R"(sdfg f {
      argument A: float64[4]
      state s {
        library stencil.Stencil st (code = "b[0] = a[-1] + a[1]") with a <- A[0:4]; b -> new A[0:4]
      }
    })");
    CHECK(p.bind("A", a).run() == Kinds{FaultKind::Race, FaultKind::Race}); // read, then written and the other way round
}

TEST_CASE("library nodes whose meaning is elsewhere", "[interpret]") {
    const Interpreted p(R"(sdfg f {
      argument A: float64[4]
      state s {
        library mpi.Reduce r with _inbuffer <- A[0:4]; _outbuffer -> new A[0:4]
      }
    })");
    CHECK(p.refusals == std::vector<std::string>{"the interpreter does not support library nodes of class Reduce"});
}
