// Versions statements, for passes that let a condition choose between two ways to run them.
#pragma once

#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Tree.h"

#include <functional>
#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A size as code, as a product if it is one; nothing unless it consists of sums, products and small powers of integers
/// and symbols.
std::optional<py::ExprRef> codeOf(sym::Expr size);
/// A comparison of such sizes as code; nothing for other expressions.
std::optional<py::ExprRef> conditionOf(sym::Expr comparison);

/// The condition under which a team of threads runs a loop with the clause `onlyIf`; for atomic updates, a single
/// thread is not a team. Nothing if `onlyIf` is not a comparison that conditionOf supports, or if it is just true and
/// there are no atomic updates.
std::optional<py::ExprRef> worthATeam(sym::Expr onlyIf, bool atomic);

/// Calls f for all updates in a statement.
void forEachUpdate(tree::Node &n, const std::function<void(tree::Update &)> &f);
/// Calls f for all loops in a statement that a team shares.
void forEachShared(tree::Node &n, const std::function<void(tree::For &)> &f);

/// Does a statement mention an array, other than as the target of these updates? `table`: of its function.
bool isMentionedElsewhere(const tree::Node &n, Name array, const std::vector<tree::Update *> &updates, tree::EffectTable &table);

/// Makes a statement sequential: no loop is shared, and no update is atomic.
void makeSequential(tree::Node &n);

/// Copies a statement of `f`; the copy declares new variables with the same names.
tree::NodePtr twin(const tree::Node &n, tree::Function &f);

/// `if (condition) { yes } else { no }`, with the comment and the origin of `no`.
tree::NodePtr choice(const py::ExprRef &condition, tree::NodePtr yes, tree::NodePtr no);

/// A loop that is there twice, for a team and for one thread.
struct LoopVersions {
    tree::For *team = nullptr, *alone = nullptr;
};
/// The loops of a statement that chooses between them (version-loops), if both are the same and neither reduces; otherwise null.
LoopVersions loopVersions(const tree::Function &f, tree::If &choice);

} // namespace sdfgc::transforms
