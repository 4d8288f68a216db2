// Arithmetic on expressions that folds the typical clutter of derivatives: factors of one and zero, signs, choices.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py::detail {

/// A literal number, possibly with a sign or a cast.
bool isLiteral(const Expr &e);
/// The value of such a number, if it is one.
std::optional<double> numberValue(const Expr &e);
bool isZero(const Expr &e);

ExprRef sum(const ExprRef &a, const ExprRef &b);
ExprRef negated(const ExprRef &a);
ExprRef quotient(const ExprRef &a, const ExprRef &b);
/// `factor * g`. If the factor is a choice, it selects: `(1 if c else 0) * g` is `g if c else 0`.
ExprRef product(const ExprRef &factor, const ExprRef &g);
/// Moves the signs of the operands to the front of the node, or cancels them: `a * -b` is `-(a * b)`. The value stays bitwise
/// identical.
ExprRef signsOutside(const ExprRef &e);
/// `a if condition else b`
ExprRef choice(const ExprRef &condition, const ExprRef &a, const ExprRef &b);

} // namespace sdfgc::py::detail
