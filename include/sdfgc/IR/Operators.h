// Operators with the same meaning in code and in symbolic expressions.
#pragma once

#include "sdfgc/Symbolic/Expr.h"
#include "sdfgc/Tasklet/Ast.h"

#include <optional>

namespace sdfgc::ir {

/// The operator of a comparison; nothing for other kinds.
std::optional<py::Op> comparisonOf(sym::SymbolicKind k);
std::optional<sym::SymbolicKind> comparisonOf(py::Op op);
/// Floor division, modulo, and operators on bits; nothing for other kinds.
std::optional<py::Op> arithmeticOf(sym::SymbolicKind k);
/// `not (a REL b)`, for comparable numbers (not NaN); nothing for other operators.
std::optional<py::Op> opposite(py::Op relation);

} // namespace sdfgc::ir
