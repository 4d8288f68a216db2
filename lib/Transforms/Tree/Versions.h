// Statements that are written twice, for passes that let a condition choose between two ways to run them.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <functional>
#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A size as code, a product where it is one; nothing where it has more than sums, products and small powers of integers and symbols.
std::optional<py::ExprRef> codeOf(sym::Expr size);
/// A comparison of such sizes as code; nothing for other expressions.
std::optional<py::ExprRef> conditionOf(sym::Expr comparison);

/// Whether a team of threads does a loop that says `onlyIf`; for atomic updates, one thread is no team. Nothing where `onlyIf` is no such
/// comparison as conditionOf takes, or where it is just true and there are no atomic updates.
std::optional<py::ExprRef> worthATeam(sym::Expr onlyIf, bool atomic);

/// Calls f with all updates in a statement.
void forEachUpdate(tree::Node &n, const std::function<void(tree::Update &)> &f);
/// Calls f with all loops in a statement that a team shares.
void forEachShared(tree::Node &n, const std::function<void(tree::For &)> &f);

/// Leaves nothing of a team in a statement: no loop is shared, no update atomic.
void makeSequential(tree::Node &n);

/// A copy of a statement of `f` that declares variables of its own, of the same names.
tree::NodePtr twin(const tree::Node &n, tree::Function &f);

/// `if (condition) { yes } else { no }`, with the comment and the origin of `no`.
tree::NodePtr choice(const py::ExprRef &condition, tree::NodePtr yes, tree::NodePtr no);

} // namespace sdfgc::transforms
