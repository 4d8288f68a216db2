// Symbolic expressions, which are for offsets, sizes and bounds, as trees of Python, which are for values.
#pragma once

#include "sdfgc/Symbolic/Expr.h"
#include "sdfgc/Tasklet/Ast.h"

#include <functional>

namespace sdfgc::tree {

/// The division and the remainder of C in a symbolic expression, where the lowering knows that both operands are nonnegative.
inline const Name cDivision = "__cdiv", cRemainder = "__cmod";

/// The tree that prints as the expression does. `nameOf` gives the typed tree of a symbol.
py::ExprRef pythonOf(sym::Expr e, const std::function<py::ExprRef(Name)> &nameOf);

} // namespace sdfgc::tree
