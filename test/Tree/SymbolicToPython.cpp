// Symbolic expressions as trees, with names that the caller provides.
#include "../Graphs.h"

#include "sdfgc/Tree/SymbolicToPython.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// The tree as Python, with 64-bit names; `i` has 32 bits.
py::ExprRef treeOf(sym::Expr e) {
    return tree::pythonOf(e, [](Name n) { return py::name(n, n == Name("i") ? ScalarKind::Int32 : ScalarKind::Int64); });
}
std::string pythonText(std::string_view text) { return py::print(*treeOf(expr(text))); }

} // namespace

TEST_CASE("symbolic to Python: sums are written with differences, constants last") {
    CHECK(pythonText("b - a") == "b - a");
    CHECK(pythonText("N - 3") == "N - 3");
    CHECK(pythonText("2*N + 1") == "2 * N + 1");
    CHECK(pythonText("min(N, M) + 1") == "min(M, N) + 1");
}

TEST_CASE("symbolic to Python: quotients") {
    CHECK(pythonText("N // 2") == "N // 2");
    CHECK(pythonText("N % 3") == "N % 3");
    CHECK(pythonText("int_ceil(N, M)") == "int_ceil(N, M)");
    const py::ExprRef division = treeOf(sym::call(tree::cDivision, {expr("N"), 4}));
    CHECK(division->op == py::Op::CDiv);
    CHECK(treeOf(sym::call(tree::cRemainder, {expr("N"), 4}))->op == py::Op::CMod);
}

TEST_CASE("symbolic to Python: names and their types are the caller's") {
    CHECK(treeOf(expr("i"))->type == Type(ScalarKind::Int32));
    CHECK(treeOf(expr("i + N"))->type == Type(ScalarKind::Int64));
    const py::ExprRef renamed =
        tree::pythonOf(expr("N + 1"), [](Name n) { return py::name(Name(n.str() + "_0"), ScalarKind::Int64); });
    CHECK(py::print(*renamed) == "N_0 + 1");
}
