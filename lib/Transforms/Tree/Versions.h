// Statements that are written twice, for passes that let a condition choose between two ways to run them.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A comparison of sizes as code; nothing for other expressions, and where a side has more than sums, products and small powers of
/// integers and symbols. Sides that are products are printed as products.
std::optional<py::ExprRef> conditionOf(sym::Expr comparison);

/// A copy of a statement of `f` that declares variables of its own, of the same names.
tree::NodePtr twin(const tree::Node &n, tree::Function &f);

/// `if (condition) { yes } else { no }`, with the comment and the origin of `no`.
tree::NodePtr choice(const py::ExprRef &condition, tree::NodePtr yes, tree::NodePtr no);

} // namespace sdfgc::transforms
