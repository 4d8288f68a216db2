// Factorisations and linear systems (format reference 7.4).
#include "Program.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

const std::string lapack = "dace.libraries.lapack.nodes.", linalg = "dace.libraries.linalg.nodes.";

struct SystemKind {
    Type type;
    double tolerance;
};
const SystemKind kinds[] = {
    {ScalarKind::Float32, 1e-4}, {ScalarKind::Float64, 1e-11}, {ScalarKind::Complex64, 1e-4}, {ScalarKind::Complex128, 1e-11}};

std::string prefix(const SystemKind &k) { return std::string(scalarTypeName(k.type.scalar())) + "_"; }

/// A matrix that is far from singular; Hermitian and positive if requested.
Tensor matrix(Program &p, const std::string &name, int64_t n, Type t, bool positive = false, const std::string &strides = "") {
    Tensor A = p.array(name, std::to_string(n) + ", " + std::to_string(n), t, strides);
    A.each([&](const Index &i) {
        if (i[0] == i[1])
            A.set(i, positive ? 30.0 + static_cast<double>(i[0]) : i[0] % 2 ? 20.0 : -25.0);
        else if (positive && i[0] > i[1])
            A.set(i, std::conj(A({i[1], i[0]})));
    });
    return A;
}

Number after(const Tensor &t, const Index &i) { return t.content().after[t.content().position(i)]; }

/// Is the product of the results equal to the matrix, within the tolerance?
void checkProduct(Program &p, const std::string &what, int64_t rows, int64_t columns, double tolerance,
                  std::function<Number(int64_t, int64_t)> product, std::function<Number(int64_t, int64_t)> should) {
    p.check(
        [=] {
            for (int64_t i = 0; i < rows; ++i)
                for (int64_t j = 0; j < columns; ++j)
                    if (std::abs(product(i, j) - should(i, j)) > 40 * tolerance)
                        return false;
            return true;
        },
        what);
}

void solved(Program &p) {
    for (const SystemKind &k : kinds) {
        std::string n = prefix(k);
        Tensor A = matrix(p, n + "A", 9, k.type), B = p.array(n + "B", "9, 4", k.type), X = p.array(n + "X", "9, 4", k.type),
               b = p.array(n + "b", "9", k.type), x = p.array(n + "x", "9", k.type), I = p.array(n + "I", "9, 9", k.type);
        p.node(linalg + "solve.Solve").in("_ain", A).in("_bin", B).out("_bout", X);
        checkProduct(
            p, n + "Solve", 9, 4, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(9, [&](int64_t l) {
                                            return A({i, l}) * after(X, {l, j});
                                        }); },
            [=](int64_t i, int64_t j) {
                return B({i, j});
            });
        p.node(linalg + "solve.Solve").in("_ain", A).in("_bin", b).out("_bout", x);
        checkProduct(
            p, n + "Solve, a vector", 9, 1, k.tolerance,
            [=](int64_t i, int64_t) { return sum(9, [&](int64_t l) {
                                          return A({i, l}) * after(x, {l});
                                      }); },
            [=](int64_t i, int64_t) { return b({i}); });
        p.node(linalg + "inv.Inv").in("_ain", A).out("_aout", I);
        checkProduct(
            p, n + "Inv", 9, 9, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(9, [&](int64_t l) {
                                            return A({i, l}) * after(I, {l, j});
                                        }); },
            [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; });
    }
}

void cholesky(Program &p) {
    for (const SystemKind &k : kinds) {
        std::string n = prefix(k);
        Tensor A = matrix(p, n + "A", 7, k.type, true), L = p.array(n + "L", "7, 7", k.type), U = p.array(n + "U", "7, 7", k.type),
               info = p.array(n + "info", "1", ScalarKind::Int32), P = p.array(n + "P", "7, 7", k.type);
        p.node(linalg + "cholesky.Cholesky").in("_a", A).out("_b", L);
        checkProduct(
            p, n + "Cholesky", 7, 7, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(7, [&](int64_t l) {
                                            return after(L, {i, l}) * std::conj(after(L, {j, l}));
                                        }); },
            [=](int64_t i, int64_t j) {
                return A({i, j});
            });
        p.check([=] { return after(L, {0, 6}) == 0.0 && after(L, {3, 4}) == 0.0; }, n + "Cholesky: the upper triangle is not zero");
        p.node(linalg + "cholesky.Cholesky").in("_a", A).out("_b", U).set("lower", false);
        checkProduct(
            p, n + "Cholesky, upper", 7, 7, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(7, [&](int64_t l) {
                                            return std::conj(after(U, {l, i})) * after(U, {l, j});
                                        }); },
            [=](int64_t i, int64_t j) {
                return A({i, j});
            });
        p.node(lapack + "potrf.Potrf").in("_xin", A).out("_xout", P).out("_res", info);
        checkProduct(
            p, n + "Potrf", 7, 7, k.tolerance,
            [=](int64_t i, int64_t j) {
                return sum(std::min(i, j) + 1, [&](int64_t l) { return after(P, {i, l}) * std::conj(after(P, {j, l})); });
            },
            [=](int64_t i, int64_t j) {
                return A({i, j});
            });
        p.expect(info, [](const Index &) { return 0; });
    }
    Tensor bad = p.array("bad", "3, 3"), out = p.array("badout", "3, 3"), info = p.array("badinfo", "1", ScalarKind::Int32);
    bad.each([&](const Index &i) { bad.set(i, i[0] != i[1] ? 0.0 : i[0] == 1 ? -1.0 : 1.0); });
    p.node(lapack + "potrf.Potrf").in("_xin", bad).out("_xout", out).out("_res", info);
    p.expect(info, [](const Index &) { return 2; });
}

/// Applies the row exchanges given by the pivots to row i of the original.
int64_t originalRow(const Tensor &pivots, int64_t n, int64_t row) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < n; ++i)
        order.push_back(i);
    for (int64_t i = 0; i < n; ++i)
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(after(pivots, {i}).real()) - 1]);
    return order[static_cast<std::size_t>(row)];
}

void factored(Program &p) {
    p.symbol("N", 8);
    for (const SystemKind &k : kinds) {
        std::string n = prefix(k);
        Tensor A = p.array(n + "A", "N, N", k.type), LU = p.array(n + "LU", "N, N", k.type), V = p.array(n + "V", "N, N", k.type),
               piv = p.array(n + "piv", "N", ScalarKind::Int32), info = p.array(n + "info", "1", ScalarKind::Int32),
               b = p.array(n + "b", "N, 3", k.type), x = p.array(n + "x", "N, 3", k.type),
               C = p.array(n + "C", "N, N", k.type, "1, 8");
        // Large elements off the diagonal require row exchanges.
        A.each([&](const Index &i) {
            if ((i[0] + 3) % 8 == i[1])
                A.set(i, 25.0);
        });
        p.node(lapack + "getrf.Getrf").in("_xin", A).out("_xout", LU).out("_ipiv", piv).out("_res", info);
        checkProduct(
            p, n + "Getrf", 8, 8, k.tolerance,
            [=](int64_t i, int64_t j) {
                return sum(std::min(i, j) + 1, [&](int64_t l) { return (l == i ? 1.0 : after(LU, {i, l})) * after(LU, {l, j}); });
            },
            [=](int64_t i, int64_t j) {
                return A({originalRow(piv, 8, i), j});
            });
        p.node(lapack + "getrs.Getrs").in("_a", LU).in("_ipiv", piv).in("_rhs_in", b).out("_rhs_out", x).out("_res", info);
        checkProduct(
            p, n + "Getrs", 8, 3, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(8, [&](int64_t l) {
                                            return A({i, l}) * after(x, {l, j});
                                        }); },
            [=](int64_t i, int64_t j) {
                return b({i, j});
            });
        p.node(lapack + "getri.Getri").in("_xin", LU).in("_ipiv", piv).out("_xout", V).out("_res", info);
        checkProduct(
            p, n + "Getri", 8, 8, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(8, [&](int64_t l) {
                                            return A({i, l}) * after(V, {l, j});
                                        }); },
            [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; });
        // A column-major result.
        p.node(linalg + "inv.Inv").in("_ain", A).out("_aout", C);
        checkProduct(
            p, n + "Inv, by columns", 8, 8, k.tolerance,
            [=](int64_t i, int64_t j) { return sum(8, [&](int64_t l) {
                                            return A({i, l}) * after(C, {l, j});
                                        }); },
            [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; });
        p.expect(info, [](const Index &) { return 0; });
    }
    // The second pivot is zero.
    Tensor S = p.array("S", "2, 2"), T = p.array("T", "2, 2"), piv = p.array("Spiv", "2", ScalarKind::Int32),
           info = p.array("Sinfo", "1", ScalarKind::Int32);
    S.each([&](const Index &i) { S.set(i, 1.0); });
    p.node(lapack + "getrf.Getrf").in("_xin", S).out("_xout", T).out("_ipiv", piv).out("_res", info);
    p.expect(info, [](const Index &) { return 2; });
}

/// Systems along the first dimension, with matrices by rows and by columns.
void batches(Program &p) {
    p.symbol("N", 6);
    p.symbol("B", 3);
    for (const SystemKind &k : kinds) {
        for (const char *strides : {"", "36, 1, 6"}) {
            const std::string n = prefix(k) + (*strides ? "columns_" : "rows_");
            Tensor A = p.array(n + "A", "B, N, N", k.type, strides), LU = p.array(n + "LU", "B, N, N", k.type, strides),
                   piv = p.array(n + "piv", "B, N", ScalarKind::Int32), b = p.array(n + "b", "B, N, 2", k.type),
                   x = p.array(n + "x", "B, N, 2", k.type, *strides ? "12, 1, 6" : ""), v = p.array(n + "v", "B, N", k.type),
                   y = p.array(n + "y", "B, N", k.type), V = p.array(n + "V", "B, N, N", k.type);
            A.each([&](const Index &i) {
                if ((i[1] + 1 + i[0]) % 6 == i[2]) // requires row exchanges, others in each matrix
                    A.set(i, 25.0);
            });
            p.node(lapack + "getrf.Getrf").in("_xin", A).out("_xout", LU).out("_ipiv", piv);
            p.node(lapack + "getrs.Getrs").in("_a", LU).in("_ipiv", piv).in("_rhs_in", b).out("_rhs_out", x);
            p.node(lapack + "getrs.Getrs").in("_a", LU).in("_ipiv", piv).in("_rhs_in", v).out("_rhs_out", y);
            p.node(lapack + "getri.Getri").in("_xin", LU).in("_ipiv", piv).out("_xout", V);
            for (int64_t m = 0; m < 3; ++m) {
                checkProduct(
                    p, n + "Getrs of a batch", 6, 2, k.tolerance,
                    [=](int64_t i, int64_t j) { return sum(6, [&](int64_t l) {
                                                    return A({m, i, l}) * after(x, {m, l, j});
                                                }); },
                    [=](int64_t i, int64_t j) {
                        return b({m, i, j});
                    });
                checkProduct(
                    p, n + "Getrs of a batch, vectors", 6, 1, k.tolerance,
                    [=](int64_t i, int64_t) { return sum(6, [&](int64_t l) {
                                                  return A({m, i, l}) * after(y, {m, l});
                                              }); },
                    [=](int64_t i, int64_t) {
                        return v({m, i});
                    });
                checkProduct(
                    p, n + "Getri of a batch", 6, 6, k.tolerance,
                    [=](int64_t i, int64_t j) { return sum(6, [&](int64_t l) {
                                                    return A({m, i, l}) * after(V, {m, l, j});
                                                }); },
                    [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; });
            }
        }
    }
}

void triangles(Program &p) {
    p.symbol("N", 8);
    for (const SystemKind &k : kinds) {
        // Column-major operands and results are copied.
        const Tensor rows = matrix(p, prefix(k) + "A", 8, k.type), columns = matrix(p, prefix(k) + "V", 8, k.type, false, "1, 8"),
                     ofLeft = p.array(prefix(k) + "B", "N, 3", k.type), ofRight = p.array(prefix(k) + "C", "3, N", k.type);
        for (int form = 0; form < 16; ++form) {
            const bool lower = form & 1, transposed = form & 2, unit = form & 4, left = form & 8;
            const std::string n = prefix(k) + std::to_string(form);
            const Tensor A = form % 5 == 1 ? columns : rows, B = left ? ofLeft : ofRight,
                         X = p.array(n + "X", left ? "N, 3" : "3, N", k.type, form % 3 == 1 ? (left ? "1, N" : "1, 3") : "");
            p.node("dace.libraries.blas.nodes.trsm.Trsm")
                .in("_a", A)
                .in("_b", B)
                .out("_c", X)
                .set("lower", lower)
                .set("transA", transposed)
                .set("unit", unit)
                .set("left", left);
            const auto element = [=](int64_t i, int64_t j) -> Number {
                if (i == j)
                    return unit ? Number(1.0) : Number(A({i, i}));
                const bool isLower = transposed ? i < j : i > j;
                return isLower == lower ? Number(transposed ? A({j, i}) : A({i, j})) : Number(0.0);
            };
            const double tolerance = k.tolerance * (unit ? 1e4 : 1); // whose elements grow
            checkProduct(
                p, n + "Trsm", left ? 8 : 3, left ? 3 : 8, tolerance,
                [=](int64_t i, int64_t j) {
                    return sum(8, [&](int64_t l) {
                        return left ? element(i, l) * after(X, {l, j}) : after(X, {i, l}) * element(l, j);
                    });
                },
                [=](int64_t i, int64_t j) {
                    return B({i, j});
                });
        }
    }
}

} // namespace

TEST_CASE("Solve and Inv in all types") { compiled("solved", solved); }
TEST_CASE("Cholesky and Potrf of both triangles") { compiled("cholesky", cholesky); }
TEST_CASE("Getrf, Getrs, Getri and their info") { compiled("factored", factored); }

TEST_CASE("Getrf and Getrs of a batch") { compiled("batches", batches); }
TEST_CASE("Trsm with all flags") { compiled("triangles", triangles); }

TEST_CASE("Solve and Inv on the device", "[device]") { emulated("solved", solved); }
TEST_CASE("Cholesky and Potrf on the device", "[device]") { emulated("cholesky", cholesky); }
TEST_CASE("Getrf, Getrs, Getri on the device", "[device]") { emulated("factored", factored); }
TEST_CASE("Getrf and Getrs of a batch on the device", "[device]") { emulated("batches", batches); }
TEST_CASE("Trsm on the device", "[device]") { emulated("triangles", triangles); }
