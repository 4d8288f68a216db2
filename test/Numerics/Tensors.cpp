// Transpositions, tensor products, Fourier transforms, sparse products, stencils (format reference 7.3, 7.4, 7.8, 7.9).
#include "Program.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

json::Value list(std::vector<int> values) {
    json::Value v = json::Value::array();
    for (int i : values)
        v.push(i);
    return v;
}

void transposed(Program &p) {
    p.symbol("N", 13);
    for (Type t : {Type(ScalarKind::Float64), Type(ScalarKind::Complex64), Type(ScalarKind::Int8)}) {
        std::string n(scalarTypeName(t.scalar()));
        Tensor A = p.array(n + "_A", "N, 21", t), B = p.array(n + "_B", "21, N", t);
        p.node("dace.libraries.linalg.nodes.transpose.Transpose").in("_inp", A).out("_out", B).set("dtype", n);
        p.expect(B, [=](const Index &i) { return A({i[1], i[0]}); });
    }
    // Older versions kept the node elsewhere.
    Tensor A = p.array("A", "5, N"), B = p.array("B", "N, 5"), C = p.array("C", "N, 5");
    p.node("dace.libraries.standard.nodes.transpose.Transpose").in("_inp", A).out("_out", B);
    p.node("dace.libraries.blas.nodes.transpose.Transpose").in("_inp", A).out("_out", C);
    for (const Tensor &t : {B, C})
        p.expect(t, [=](const Index &i) { return A({i[1], i[0]}); });
    // A part of a matrix with a unit dimension.
    Tensor D = p.array("D", "3, 5, N"), E = p.array("E", "20, 8");
    p.node("dace.libraries.linalg.nodes.transpose.Transpose").in("_inp", D, "1, 0:5, 0:N").out("_out", E, "2:N + 2, 1:6");
    p.expect(E, [=](const Index &i) {
        bool inside = i[0] >= 2 && i[0] < 15 && i[1] >= 1 && i[1] < 6;
        return inside ? D({1, i[1] - 1, i[0] - 2}) : E(i);
    });
}

void tensors(Program &p) {
    const std::string transpose = "dace.libraries.linalg.nodes.ttranspose.TensorTranspose",
                      dot = "dace.libraries.linalg.nodes.tensordot.TensorDot";
    Tensor A = p.array("A", "4, 5, 6"), B = p.array("B", "6, 4, 5"), C = p.array("C", "5, 6, 4");
    p.node(transpose).in("_inp_tensor", A).out("_out_tensor", B).set("axes", list({2, 0, 1}));
    p.expect(B, [=](const Index &i) { return A({i[1], i[2], i[0]}); });
    p.node(transpose).in("_inp_tensor", A).out("_out_tensor", C).set("axes", list({1, 2, 0})).set("alpha", 2).set("beta", 3);
    p.expect(C, [=](const Index &i) { return 2.0 * A({i[2], i[0], i[1]}) + 3.0 * C(i); });
    Tensor four = p.array("four", "2, 3, 4, 5"), reversed = p.array("reversed", "5, 4, 3, 2");
    p.node(transpose).in("_inp_tensor", four).out("_out_tensor", reversed).set("axes", list({3, 2, 1, 0}));
    p.expect(reversed, [=](const Index &i) { return four({i[3], i[2], i[1], i[0]}); });

    Tensor L = p.array("L", "7, 5, 6"), R = p.array("R", "6, 5, 8"), one = p.array("one", "7, 8"),
           two = p.array("two", "7, 5, 5, 8"), turned = p.array("turned", "8, 7"), full = p.array("full", "1"),
           outer = p.array("outer", "7, 5, 6, 3"), v = p.array("v", "3");
    p.node(dot)
        .in("_left_tensor", L)
        .in("_right_tensor", R)
        .out("_out_tensor", one)
        .set("left_axes", list({1, 2}))
        .set("right_axes", list({1, 0}));
    auto both = [=](int64_t i, int64_t j) {
        return sum(5, [&](int64_t x) { return sum(6, [&](int64_t y) { return L({i, x, y}) * R({y, x, j}); }); });
    };
    p.expect(one, [=](const Index &i) { return both(i[0], i[1]); });
    p.node(dot)
        .in("_left_tensor", L)
        .in("_right_tensor", R)
        .out("_out_tensor", two)
        .set("left_axes", list({2}))
        .set("right_axes", list({0}));
    p.expect(two, [=](const Index &i) { return sum(6, [&](int64_t y) { return L({i[0], i[1], y}) * R({y, i[2], i[3]}); }); });
    p.node(dot)
        .in("_left_tensor", L)
        .in("_right_tensor", R)
        .out("_out_tensor", turned)
        .set("left_axes", list({1, 2}))
        .set("right_axes", list({1, 0}))
        .set("permutation", list({1, 0}));
    p.expect(turned, [=](const Index &i) { return both(i[1], i[0]); });
    p.node(dot)
        .in("_left_tensor", L)
        .in("_right_tensor", L)
        .out("_out_tensor", full)
        .set("left_axes", list({0, 1, 2}))
        .set("right_axes", list({0, 1, 2}));
    p.expect(full, [=](const Index &) {
        Number s = 0;
        L.each([&](const Index &i) { s += L(i) * L(i); });
        return s;
    });
    p.node(dot)
        .in("_left_tensor", L)
        .in("_right_tensor", v)
        .out("_out_tensor", outer)
        .set("left_axes", list({}))
        .set("right_axes", list({}));
    p.expect(outer, [=](const Index &i) { return L({i[0], i[1], i[2]}) * v({i[3]}); });
}

/// The nodes that Fortran front ends create for operations on entire subsets.
void subsets(Program &p) {
    const std::string path = "dace.libraries.standard.nodes.";
    Tensor Z = p.array("Z", "4, 5"), A = p.array("A", "6, 5"), C = p.array("C", "4, 7", ScalarKind::Float32, "1, 4"),
           flag = p.array("flag", "1", ScalarKind::Bool);
    p.node(path + "memset_node.MemsetLibraryNode").out("_mset_out", Z, "1:3, 0:5");
    p.expect(Z, [=](const Index &i) { return i[0] == 1 || i[0] == 2 ? Number(0) : Z(i); });
    p.node(path + "copy_node.CopyLibraryNode").in("_cpy_in", A, "2:6, 1:4").out("_cpy_out", C, "0:4, 4:7");
    p.expect(C, [=](const Index &i) { return i[1] < 4 ? C(i) : A({i[0] + 2, i[1] - 3}); });
    p.node(path + "memset_node.MemsetLibraryNode").out("_mset_out", flag);
    p.expect(flag, [=](const Index &) { return Number(0); });
    for (int ones : {0, 1, 12}) {
        const std::string n = std::to_string(ones);
        Tensor mask = p.array("mask" + n, "4, 3", ScalarKind::Bool), all = p.array("all" + n, "1", ScalarKind::Bool),
               any = p.array("any" + n, "1", ScalarKind::Bool);
        mask.each([&](const Index &i) { mask.set(i, i[0] * 3 + i[1] < ones ? 1 : 0); });
        p.node(path + "allany.AllNode").in("_mask", mask).out("_out", all);
        p.expect(all, [=](const Index &) { return Number(ones == 12); });
        p.node(path + "allany.AnyNode").in("_mask", mask).out("_out", any);
        p.expect(any, [=](const Index &) { return Number(ones > 0); });
    }
}

void einsum(Program &p) {
    const std::string path = "dace.libraries.blas.nodes.einsum.Einsum";
    Tensor A = p.array("A", "17, 18"), B = p.array("B", "18, 19"), C = p.array("C", "17, 19"), T = p.array("T", "19, 17"),
           S = p.array("S", "9, 9"), d = p.array("d", "9"), t = p.array("t", "1"), batch = p.array("batch", "3, 17, 18"),
           out = p.array("out", "3, 17, 19"), rows = p.array("rows", "17"), chain = p.array("chain", "17, 5"),
           E = p.array("E", "19, 5"), h = p.array("h", "17, 18"), scaled = p.array("scaled", "17, 19");
    auto ab = [=](int64_t i, int64_t j) { return sum(18, [&](int64_t k) { return A({i, k}) * B({k, j}); }); };
    p.node(path).in("a", A).in("b", B).out("o", C).set("einsum_str", "ij,jk->ik");
    p.expect(C, [=](const Index &i) { return ab(i[0], i[1]); });
    p.node(path).in("a", A).in("b", B).out("o", T).set("einsum_str", "ij,jk->ki");
    p.expect(T, [=](const Index &i) { return ab(i[1], i[0]); });
    // Operands are in the order of their connectors, not of their edges.
    p.node(path).in("y", B).in("x", A).out("o", scaled).set("einsum_str", "ij,jk->ik").set("alpha", "2").set("beta", "3");
    p.expect(scaled, [=](const Index &i) { return 2.0 * ab(i[0], i[1]) + 3.0 * scaled(i); });
    p.node(path).in("a", S).out("o", d).set("einsum_str", "ii->i");
    p.expect(d, [=](const Index &i) { return S({i[0], i[0]}); });
    p.node(path).in("a", S).out("o", t).set("einsum_str", "ii->");
    p.expect(t, [=](const Index &) { return sum(9, [&](int64_t i) { return S({i, i}); }); });
    p.node(path).in("a", batch).in("b", B).out("o", out).set("einsum_str", "bij,jk->bik");
    p.expect(out, [=](const Index &i) { return sum(18, [&](int64_t k) { return batch({i[0], i[1], k}) * B({k, i[2]}); }); });
    p.node(path).in("a", A).out("o", rows).set("einsum_str", "ij->i");
    p.expect(rows, [=](const Index &i) { return sum(18, [&](int64_t k) { return A({i[0], k}); }); });
    p.node(path).in("a", A).in("b", B).in("c", E).out("o", chain).set("einsum_str", "ij,jk,kl->il");
    p.expect(chain, [=](const Index &i) { return sum(19, [&](int64_t k) { return ab(i[0], k) * E({k, i[1]}); }); });
    p.node(path).in("a", A).in("b", A).out("o", h).set("einsum_str", "ij,ij->ij");
    p.expect(h, [=](const Index &i) { return A(i) * A(i); });
}

void fourier(Program &p) {
    const std::string path = "dace.libraries.fft.nodes.fft.";
    Tensor x = p.array("x", "24", ScalarKind::Complex128), X = p.array("X", "24", ScalarKind::Complex128),
           y = p.array("y", "24", ScalarKind::Complex128), r = p.array("r", "15"), Z = p.array("Z", "15", ScalarKind::Complex128),
           m = p.array("m", "6, 5", ScalarKind::Complex64), M = p.array("M", "6, 5", ScalarKind::Complex64),
           s = p.array("s", "12", ScalarKind::Complex128, "2");
    auto dft = [](const Tensor &in, int64_t n, int64_t k, double sign) {
        return sum(n, [&](int64_t j) {
            return in({j}) * std::polar(1.0, sign * 2 * M_PI * static_cast<double>(j * k % n) / static_cast<double>(n));
        });
    };
    p.node(path + "FFT").in("_inp", x).out("_out", X);
    p.expect(
        X, [=](const Index &i) { return dft(x, 24, i[0], -1); }, 1e-12);
    p.node(path + "IFFT").in("_inp", x).out("_out", y).set("factor", "1/24");
    p.expect(
        y, [=](const Index &i) { return dft(x, 24, i[0], 1) / 24.0; }, 1e-12);
    p.node(path + "FFT").in("_inp", r).out("_out", Z).set("factor", "2");
    p.expect(
        Z, [=](const Index &i) { return 2.0 * dft(r, 15, i[0], -1); }, 1e-12);
    p.node(path + "FFT").in("_inp", x, "0:12").out("_out", s);
    p.expect(
        s, [=](const Index &i) { return dft(x, 12, i[0], -1); }, 1e-12);
    p.node(path + "FFT").in("_inp", m).out("_out", M);
    p.expect(
        M,
        [=](const Index &i) {
            return sum(6, [&](int64_t a) {
                return sum(5, [&](int64_t b) {
                    return m({a, b}) *
                           std::polar(1.0, -2 * M_PI * (static_cast<double>(a * i[0]) / 6 + static_cast<double>(b * i[1]) / 5));
                });
            });
        },
        1e-5);
}

void sparse(Program &p) {
    const std::string path = "dace.libraries.sparse.nodes.";
    Tensor rows = p.array("rows", "6", ScalarKind::Int32), cols = p.array("cols", "9", ScalarKind::Int32),
           vals = p.array("vals", "9");
    int starts[] = {0, 2, 2, 5, 6, 9}, columns[] = {0, 3, 1, 2, 3, 2, 0, 1, 3};
    for (int64_t i = 0; i < 6; ++i)
        rows.set({i}, starts[i]);
    for (int64_t i = 0; i < 9; ++i)
        cols.set({i}, columns[i]);
    auto product = [=](int64_t i, const std::function<Number(int64_t)> &b) {
        Number s = 0;
        for (auto k = static_cast<int64_t>(rows({i}).real()); k < static_cast<int64_t>(rows({i + 1}).real()); ++k)
            s += vals({k}) * b(static_cast<int64_t>(cols({k}).real()));
        return s;
    };
    auto node = [&](const std::string &cls, const Tensor &b, const Tensor &c) {
        return p.node(path + cls).in("_a_rows", rows).in("_a_cols", cols).in("_a_vals", vals).in("_b", b).out("_c", c);
    };
    Tensor B = p.array("B", "4, 7"), Bt = p.array("Bt", "7, 4"), C = p.array("C", "5, 7"), D = p.array("D", "5, 7"),
           E = p.array("E", "5, 7"), x = p.array("x", "4"), y = p.array("y", "5"), z = p.array("z", "5"), U = p.array("U", "5, 7");
    node("csrmm.CSRMM", B, C);
    p.expect(C, [=](const Index &i) { return product(i[0], [&](int64_t k) { return B({k, i[1]}); }); });
    node("csrmm.CSRMM", Bt, D).set("transB", true).set("alpha", 2);
    p.expect(D, [=](const Index &i) { return 2.0 * product(i[0], [&](int64_t k) { return Bt({i[1], k}); }); });
    node("csrmm.CSRMM", B, E).in("_cin", E).set("beta", 3).set("alpha", 0.5);
    p.expect(E, [=](const Index &i) { return 0.5 * product(i[0], [&](int64_t k) { return B({k, i[1]}); }) + 3.0 * E(i); });
    p.node(path + "csrmm.CSRMM")
        .in("_a_rows", rows)
        .in("_a_cols", cols)
        .in("_a_vals", vals)
        .in("_b", B)
        .out("_c", U, "", "lambda a, b: a + b");
    p.expect(U, [=](const Index &i) { return product(i[0], [&](int64_t k) { return B({k, i[1]}); }) + U(i); });
    node("csrmv.CSRMV", x, y);
    p.expect(y, [=](const Index &i) { return product(i[0], [&](int64_t k) { return x({k}); }); });
    node("csrmv.CSRMV", x, z).in("_cin", z).set("beta", 2);
    p.expect(z, [=](const Index &i) { return product(i[0], [&](int64_t k) { return x({k}); }) + 2.0 * z(i); });
}

json::Value code(const std::string &text) {
    json::Value v = json::Value::object();
    v.set("string_data", text);
    v.set("language", "Python");
    return v;
}

json::Value boundaries(const std::string &field, const std::string &type, json::Value value = {}) {
    json::Value b = json::Value::object(), all = json::Value::object();
    b.set("btype", type);
    if (!value.isNull())
        b.set("value", std::move(value));
    all.set(field, std::move(b));
    return all;
}

void stencil(Program &p) {
    const std::string path = "dace.libraries.stencil.stencil.Stencil";
    Tensor a = p.array("a", "8, 9"), b = p.array("b", "8, 9"), c = p.array("c", "8, 9"), d = p.array("d", "8, 9");
    auto sum4 = [](const std::function<Number(int64_t, int64_t)> &f, const Index &i) {
        return f(i[0] - 1, i[1]) + f(i[0] + 1, i[1]) + f(i[0], i[1] - 1) + 2.0 * f(i[0], i[1] + 1);
    };
    auto inside = [](int64_t i, int64_t j) { return i >= 0 && i < 8 && j >= 0 && j < 9; };
    auto text = [](const std::string &out) { return out + "[0, 0] = a[-1, 0] + a[1, 0] + a[0, -1] + 2 * a[0, 1]"; };
    p.node(path).in("a", a).out("b", b).set("code", code(text("b"))).set("boundary_conditions", boundaries("b", "shrink"));
    p.expect(b, [=](const Index &i) {
        bool all = i[0] > 0 && i[0] < 7 && i[1] > 0 && i[1] < 8;
        return all ? sum4([&](int64_t x, int64_t y) { return a({x, y}); }, i) : b(i);
    });
    p.node(path).in("a", a).out("c", c).set("code", code(text("c"))).set("boundary_conditions", boundaries("a", "constant", 5));
    p.expect(c, [=](const Index &i) { return sum4([&](int64_t x, int64_t y) { return inside(x, y) ? a({x, y}) : 5.0; }, i); });
    p.node(path).in("a", a).out("d", d).set("code", code(text("d"))).set("boundary_conditions", boundaries("a", "copy"));
    p.expect(d, [=](const Index &i) { return sum4([&](int64_t x, int64_t y) { return inside(x, y) ? a({x, y}) : a(i); }, i); });
}

} // namespace

TEST_CASE("transpositions of matrices") { compiled("transposed", transposed); }
TEST_CASE("transpositions and products of tensors") { compiled("tensors", tensors); }
TEST_CASE("subsets as a whole") { compiled("subsets", subsets); }
TEST_CASE("Einstein notation") { compiled("einsum", einsum); }
TEST_CASE("Fourier transforms") { compiled("fourier", fourier); }
TEST_CASE("products with sparse matrices") { compiled("sparse", sparse); }
TEST_CASE("stencils with each boundary condition") { compiled("stencil", stencil); }

TEST_CASE("transpositions of matrices on the device", "[device]") { emulated("transposed", transposed); }
TEST_CASE("transpositions and products of tensors on the device", "[device]") { emulated("tensors", tensors); }
TEST_CASE("subsets as a whole on the device", "[device]") { emulated("subsets", subsets); }
TEST_CASE("Einstein notation on the device", "[device]") { emulated("einsum", einsum); }
TEST_CASE("Fourier transforms on the device", "[device]") { emulated("fourier", fourier); }
TEST_CASE("products with sparse matrices on the device", "[device]") { emulated("sparse", sparse); }
TEST_CASE("stencils on the device", "[device]") { emulated("stencil", stencil); }
