// Python text of the graph, in terms of variables and references.
//
// Conditions, values of assignments, conflict resolutions and symbol mappings are Python. Their names become variables, elements of
// containers or addresses of elements; then types are inferred, and operators are lowered to C++ ones with the right meaning. For
// tasklets, whose names are connectors, see TaskletPython.h.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Code of an edge, branch or loop, ready to print. C++, and text that is not Python, stays as it is (format reference 9.1). If the code
/// cannot be lowered, reports an error at `where` and returns null.
py::ExprRef expression(Instance &in, const ir::Code &code, const diag::Location &where);

/// The same for a tree over names of the graph, whose operators have the given meaning.
py::ExprRef expression(Instance &in, const py::ExprRef &parsed, const diag::Location &where, py::Semantics meaning);

/// The value of a mapped symbol, an expression over symbols and containers of the instance's SDFG, ready to print.
py::ExprRef mappedValue(Instance &in, sym::Expr e, const diag::Location &where);

/// A tree over variables, ready to print.
py::ExprRef lowered(Instance &in, const py::ExprRef &e);

/// A conflict resolution function on elements of a type, ready to print; null stays null.
py::ExprRef resolution(Instance &in, const py::ExprRef &lambda, Type element);

/// An element of a container or constant by subscript, or a member of a structure by attribute; null when `e` is something else.
/// Reports a subscript of the wrong rank at `where`. `meaning` applies to the operators in its indices.
py::ExprRef boundSubscript(Instance &in, const py::Expr &e, const diag::Location &where, py::Semantics meaning);

/// The dimensions of a container that indices count, for run-time checks; they count from the beginning of a subset (over
/// variables).
struct Counted {
    sym::Subset subset;
    std::vector<std::size_t> dimensions; // one per index; empty: unknown
};

/// The element of a place at the given indices (trees over variables, one per stride), which count from element `start`. Indices
/// that are integer arithmetic and accepted by `isFixed` become part of the offset; the others become arguments of the reference,
/// with types by `meaning`.
py::ExprRef elementOf(Instance &in, const MemoryPlace &p, sym::Expr start, const std::vector<py::ExprRef> &indices,
                      const std::vector<sym::Expr> &strides, const std::function<bool(const py::Expr &)> &isFixed,
                      py::Semantics meaning, const Counted &from = {});

/// The same for a container or constant that has a place, with its dimensions in order. Reports a wrong number of indices.
py::ExprRef elementOf(Instance &in, Name data, const std::vector<py::ExprRef> &indices,
                      const std::function<bool(const py::Expr &)> &isFixed, const diag::Location &where, py::Semantics meaning);

/// Types of names in trees over variables. Valid as long as the instance exists.
py::Env environment(const Instance &in);

/// The meaning of operators in tasklets and conflict resolutions: as in Python, or as in the C++ that DaCe writes.
py::Semantics semantics(const Instance &in);

/// Their meaning in conditions, values of symbols and all other control code.
py::Semantics symbolicSemantics(const Instance &in);

} // namespace sdfgc::tree::lowering
