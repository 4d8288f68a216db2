// Symbolic expressions as trees of Python and back, both over variables.
//
// Symbolic expressions are for offsets, sizes and bounds; trees of Python for values. What a graph writes as one may be needed as
// the other: a symbol in a tasklet is a symbolic expression, a subscript in a condition is an offset.
#pragma once

#include "Lower/Program/Instance.h"

#include "sdfgc/Tree/SymbolicToPython.h"

namespace sdfgc::tree::lowering {

/// The tree that prints as the expression does, typed by what is known of the variables.
py::ExprRef pythonOf(const Instance &in, sym::Expr e);

/// The symbolic expression of a typed tree; none if it is not integer arithmetic on variables.
std::optional<sym::Expr> symbolicOf(const py::Expr &e);

/// Says of trees over variables whether they are known to be nonnegative, for py::lowerOperators. Valid as long as the instance.
std::function<bool(const py::Expr &)> nonNegativeOracle(const Instance &in);

} // namespace sdfgc::tree::lowering
