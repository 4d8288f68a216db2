// Symbolic expressions as trees of Python and back, both over variables.
//
// Offsets, sizes and bounds are symbolic expressions; values are Python trees. What a graph writes in one form may be needed in the
// other: a symbol in a tasklet is a symbolic expression, and a subscript in a condition is an offset.
#pragma once

#include "Lower/Program/Instance.h"

#include "sdfgc/Tree/SymbolicToPython.h"

namespace sdfgc::tree::lowering {

/// A tree that prints like the expression, with types from the known facts about variables.
py::ExprRef pythonOf(const Instance &in, sym::Expr e);

/// The symbolic expression of a typed tree; nothing if it is not integer arithmetic on variables.
std::optional<sym::Expr> symbolicOf(const py::Expr &e);

/// A predicate that reports whether a tree over variables is known to be nonnegative, for py::lowerOperators. Valid as long as the
/// instance exists.
std::function<bool(const py::Expr &)> nonNegativeOracle(const Instance &in);

} // namespace sdfgc::tree::lowering
