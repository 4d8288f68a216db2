// Products of matrices and vectors (format reference 7.3).
#include "Program.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

const std::string blas = "dace.libraries.blas.nodes.";

/// alpha op(A) op(B) + beta C, element by element.
struct Gemm {
    std::string name;
    Type type = ScalarKind::Float64;
    bool transA = false, transB = false;
    json::Value alpha = 1, beta = 0;
    Number a = 1, b = 0;
    bool addend = false, inPlace = false;
    std::string wcr;
    std::string layoutA, layoutB, layoutC; // strides; empty: row-major
};

void add(Program &p, const Gemm &g, int64_t m = 17, int64_t n = 19, int64_t k = 18) {
    auto shape = [](int64_t x, int64_t y) { return std::to_string(x) + ", " + std::to_string(y); };
    Tensor A = p.array(g.name + "_A", g.transA ? shape(k, m) : shape(m, k), g.type, g.layoutA);
    Tensor B = p.array(g.name + "_B", g.transB ? shape(n, k) : shape(k, n), g.type, g.layoutB);
    Tensor C = p.array(g.name + "_C", shape(m, n), g.type, g.layoutC);
    NodeBuilder node = p.node(blas + "gemm.Gemm");
    node.in("_a", A)
        .in("_b", B)
        .out("_c", C, "", g.wcr)
        .set("transA", g.transA)
        .set("transB", g.transB)
        .set("alpha", g.alpha)
        .set("beta", g.beta);
    Tensor D = C;
    if (g.addend) {
        D = g.inPlace ? C : p.array(g.name + "_D", shape(m, n), g.type);
        node.in("_c", D);
    }
    bool update = !g.wcr.empty();
    p.expect(C, [=](const Index &i) {
        Number s = sum(k, [&](int64_t x) {
            return (g.transA ? A({x, i[0]}) : A({i[0], x})) * (g.transB ? B({i[1], x}) : B({x, i[1]}));
        });
        return g.a * s + (update ? C(i) + (g.addend ? g.b * D(i) : 0) : g.b * D(i));
    });
}

void gemm(Program &p) {
    add(p, {"plain"});
    add(p, {"small"}, 2, 3, 4);
    add(p, {"transA", ScalarKind::Float32, true});
    add(p, {"transB", ScalarKind::Float64, false, true});
    add(p, {"both", ScalarKind::Complex128, true, true});
    add(p, {"scaled", ScalarKind::Float64, false, false, 2, 3, 2, 3, true});
    add(p, {"inplace", ScalarKind::Float32, false, true, 2.5, 0.5, 2.5, 0.5, true, true});
    add(p, {"oldcontent", ScalarKind::Float64, false, false, 1, 1, 1, 1});
    add(p, {"scaledold", ScalarKind::Float64, false, false, 1, 2, 1, 2});
    add(p, {"complexscaled", ScalarKind::Complex64, false, false, 2, 3, 2, 3, true});
    add(p, {"integers", ScalarKind::Int32, true, false, 2, 1, 2, 1, true});
    add(p, {"bycolumns", ScalarKind::Float64, false, false, 1, 0, 1, 0, false, false, "", "1, 17", "1, 18", "1, 17"});
    add(p, {"padded", ScalarKind::Float64, false, false, 1, 0, 1, 0, false, false, "", "24, 1", "1, 20", "32, 1"});
    add(p, {"strided", ScalarKind::Float64, false, false, 1, 0, 1, 0, false, false, "", "36, 2", "57, 3", "38, 2"});
    add(p, {"update", ScalarKind::Float64, false, false, 2, 0, 2, 0, false, false, "lambda a, b: a + b"});
    add(p, {"column"}, 17, 1, 18);
    add(p, {"row"}, 1, 19, 18);
    add(p, {"outer"}, 17, 19, 1);
    add(p, {"inner"}, 1, 1, 300);
    add(p, {"element"}, 1, 1, 1);
}

void batched(Program &p) {
    auto product = [&](const std::string &name, const std::string &a, const std::string &b, const std::string &c, Type type,
                       const std::string &cls = "batched_matmul.BatchedMatMul", bool transA = false, bool transB = false) {
        Tensor A = p.array(name + "_A", a, type), B = p.array(name + "_B", b, type), C = p.array(name + "_C", c, type);
        NodeBuilder node = p.node(blas + cls);
        node.in("_a", A).in("_b", B).out("_c", C);
        if (transA || transB)
            node.set("transA", transA).set("transB", transB);
        p.expect(C, [=](const Index &i) {
            // Leading indices count from the right; operands with fewer dimensions are broadcast.
            auto at = [&](const Tensor &t, int64_t r, int64_t col) {
                Index j{r, col};
                std::size_t lead = t.shape().size() - 2, all = i.size() - 2;
                for (std::size_t d = lead; d-- > 0;)
                    j.insert(j.begin(), t.shape()[d] == 1 ? 0 : i[all - (lead - d)]);
                return t(j);
            };
            std::size_t r = i.size();
            int64_t k = A.shape()[A.shape().size() - (transA ? 2 : 1)];
            return sum(k, [&](int64_t x) {
                return (transA ? at(A, x, i[r - 2]) : at(A, i[r - 2], x)) * (transB ? at(B, i[r - 1], x) : at(B, x, i[r - 1]));
            });
        });
    };
    product("three", "3, 17, 18", "3, 18, 19", "3, 17, 19", ScalarKind::Float64);
    product("right", "3, 17, 18", "18, 19", "3, 17, 19", ScalarKind::Float64);
    product("left", "17, 18", "3, 18, 19", "3, 17, 19", ScalarKind::Float32);
    product("four", "2, 3, 17, 18", "2, 3, 18, 19", "2, 3, 17, 19", ScalarKind::Complex128, "matmul.MatMul");
    product("broadcast", "2, 1, 17, 18", "3, 18, 19", "2, 3, 17, 19", ScalarKind::Float64, "matmul.MatMul");
    product("transposed", "3, 18, 17", "3, 19, 18", "3, 17, 19", ScalarKind::Float64, "batched_matmul.BatchedMatMul", true, true);
    product("integers", "3, 4, 5", "3, 5, 6", "3, 4, 6", ScalarKind::Int64);
    product("thin", "3, 17, 1", "3, 1, 19", "3, 17, 19", ScalarKind::Float64, "matmul.MatMul");
    p.symbol("N", 6);
    product("symbols", "N, 17, N + 1", "N, N + 1, 19", "N, 17, 19", ScalarKind::Float64, "matmul.MatMul");
}

void vectors(Program &p) {
    p.symbol("N", 33);
    p.symbol("M", 21);
    p.symbol("a", 3);
    for (Type t : {Type(ScalarKind::Float32), Type(ScalarKind::Float64), Type(ScalarKind::Complex128), Type(ScalarKind::Int32)}) {
        std::string n = "v" + std::string(scalarTypeName(t.scalar())) + "_";
        Tensor A = p.array(n + "A", "M, N", t), x = p.array(n + "x", "N", t), z = p.array(n + "z", "M", t),
               y = p.array(n + "y", "M", t), yt = p.array(n + "yt", "N", t), d = p.array(n + "d", "1", t),
               r = p.array(n + "r", "M, N", t), w = p.array(n + "w", "N", t);
        p.node(blas + "gemv.Gemv").in("_A", A).in("_x", x).out("_y", y).set("alpha", "2");
        p.expect(y, [=](const Index &i) { return 2.0 * sum(33, [&](int64_t k) { return A({i[0], k}) * x({k}); }); });
        p.node(blas + "gemv.Gemv").in("_A", A).in("_x", z).in("_y", yt).out("_y", yt).set("transA", true).set("beta", "3");
        p.expect(yt, [=](const Index &i) { return 3.0 * yt(i) + sum(21, [&](int64_t k) { return A({k, i[0]}) * z({k}); }); });
        p.node(blas + "dot.Dot").in("_x", x).in("_y", w).out("_result", d);
        p.expect(d, [=](const Index &) { return sum(33, [&](int64_t k) { return x({k}) * w({k}); }); });
        p.node(blas + "ger.Ger").in("_x", z).in("_y", x).in("_A", A).out("_res", r).set("alpha", "2");
        p.expect(r, [=](const Index &i) { return 2.0 * z({i[0]}) * x({i[1]}) + A(i); });
        Tensor s = p.array(n + "s", "N", t);
        p.node(blas + "axpy.Axpy").in("_x", x).in("_y", w).out("_res", s).set("a", "a").set("n", "N");
        p.expect(s, [=](const Index &i) { return 3.0 * x(i) + w(i); });
    }
}

void matmul(Program &p) {
    Tensor A = p.array("A", "17, 18"), B = p.array("B", "18, 19"), v = p.array("v", "18"), u = p.array("u", "17"),
           w = p.array("w", "18");
    Tensor Av = p.array("Av", "17"), uA = p.array("uA", "18"), vw = p.array("vw", "1"), big = p.array("big", "4, 17, 18");
    Tensor part = p.array("part", "30, 40"), strided = p.array("strided", "18");
    p.node(blas + "matmul.MatMul").in("_a", A).in("_b", v).out("_c", Av).set("alpha", 2);
    p.expect(Av, [=](const Index &i) { return 2.0 * sum(18, [&](int64_t k) { return A({i[0], k}) * v({k}); }); });
    p.node(blas + "matmul.MatMul").in("_a", u).in("_b", A).out("_c", uA);
    p.expect(uA, [=](const Index &i) { return sum(17, [&](int64_t k) { return u({k}) * A({k, i[0]}); }); });
    p.node(blas + "matmul.MatMul").in("_a", v).in("_b", w).out("_c", vw);
    p.expect(vw, [=](const Index &) { return sum(18, [&](int64_t k) { return v({k}) * w({k}); }); });
    // A slice of a batch, into a part of a larger matrix.
    p.node(blas + "matmul.MatMul").in("_a", big, "2, 0:17, 0:18").in("_b", B).out("_c", part, "3:20, 5:24");
    p.expect(part, [=](const Index &i) {
        bool inside = i[0] >= 3 && i[0] < 20 && i[1] >= 5 && i[1] < 24;
        return inside ? sum(18, [&](int64_t k) { return big({2, i[0] - 3, k}) * B({k, i[1] - 5}); }) : part(i);
    });
    // A column as a vector, every second row.
    p.node(blas + "matmul.MatMul").in("_a", B, "0:18:2, 4").in("_b", B, "0:9, 0:18").out("_c", strided);
    p.expect(strided, [=](const Index &i) { return sum(9, [&](int64_t k) { return B({2 * k, 4}) * B({k, i[0]}); }); });
}

} // namespace

TEST_CASE("Gemm with all its properties") { compiled("gemm", gemm); }
TEST_CASE("products over leading dimensions") { compiled("batched", batched); }
TEST_CASE("Gemv, Dot, Ger and Axpy in several types, with symbolic sizes") { compiled("vectors", vectors); }
TEST_CASE("MatMul of vectors, slices and strided operands") { compiled("matmul", matmul); }

TEST_CASE("Gemm on the device", "[device]") { emulated("gemm", gemm); }
TEST_CASE("products over leading dimensions on the device", "[device]") { emulated("batched", batched); }
TEST_CASE("Gemv, Dot, Ger and Axpy on the device", "[device]") { emulated("vectors", vectors); }
TEST_CASE("MatMul of parts on the device", "[device]") { emulated("matmul", matmul); }
