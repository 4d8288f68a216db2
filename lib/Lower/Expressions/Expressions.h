// Python text of the graph in terms of variables and references.
//
// Conditions, values of assignments, conflict resolutions and symbol mappings are Python. Their names become variables, elements of
// containers or addresses of those; then types are inferred and operators get the meaning that C++ has to print. Tasklets, whose
// names are connectors, have TaskletPython.h.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Text of an edge, branch or loop, ready to print. C++ stays as it is, and so does text that is not Python. Null, and an error
/// reported at `where`, when it cannot be lowered.
py::ExprRef expression(Instance &in, const std::string &text, ir::Language language, const diag::Location &where);

/// The same for a tree over the names of the graph whose operators have the given meaning.
py::ExprRef expression(Instance &in, const py::ExprRef &parsed, const diag::Location &where, py::Semantics meaning);

/// What a symbol is mapped to, an expression over symbols and containers of the instance's SDFG, ready to print.
py::ExprRef mappedValue(Instance &in, sym::Expr e, const diag::Location &where);

/// A tree over variables, ready to print.
py::ExprRef lowered(Instance &in, const py::ExprRef &e);

/// A conflict resolution function on elements of a type, ready to print; null stays null.
py::ExprRef resolution(Instance &in, const py::ExprRef &lambda, Type element);

/// An element of a container or constant by subscript, or a member of a structure by attribute; null when `e` is something else. A
/// subscript of the wrong rank is reported at `where`. `meaning`: of the operators in its indices.
py::ExprRef boundSubscript(Instance &in, const py::Expr &e, const diag::Location &where, py::Semantics meaning);

/// What indices count, for run-time checks: these dimensions of a container, from the beginning of a subset (over variables) on.
struct Counted {
    sym::Subset subset;
    std::vector<std::size_t> dimensions; // one for each index; none: unknown
};

/// The element of a place at some indices, trees over variables, one for each stride, counted from element `start`. Indices that are
/// integer arithmetic and that `isFixed` accepts become part of the offset; the others are arguments of the reference, with types
/// by `meaning`.
py::ExprRef elementOf(Instance &in, const MemoryPlace &p, sym::Expr start, const std::vector<py::ExprRef> &indices,
                      const std::vector<sym::Expr> &strides, const std::function<bool(const py::Expr &)> &isFixed,
                      py::Semantics meaning, const Counted &from = {});

/// The same of a container or constant that has a place, in the order of its dimensions. A wrong number of indices is reported.
py::ExprRef elementOf(Instance &in, Name data, const std::vector<py::ExprRef> &indices,
                      const std::function<bool(const py::Expr &)> &isFixed, const diag::Location &where, py::Semantics meaning);

/// Types of names in trees over variables. Valid as long as the instance.
py::Env environment(const Instance &in);

/// What operators mean in tasklets and conflict resolutions: as in Python, or as in the C++ that DaCe writes.
py::Semantics semantics(const Instance &in);

/// What they mean in conditions, values of symbols and everything else that steers a program.
py::Semantics symbolicSemantics(const Instance &in);

} // namespace sdfgc::tree::lowering
