// Arithmetic on expressions that folds what derivatives are full of: factors of one and zero, signs, choices.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py::detail {

/// A number as written, with a sign or a cast around it.
bool isLiteral(const Expr &e);
/// The value of such a number, if it is one.
std::optional<double> numberValue(const Expr &e);
bool isZero(const Expr &e);

ExprRef sum(const ExprRef &a, const ExprRef &b);
ExprRef negated(const ExprRef &a);
ExprRef quotient(const ExprRef &a, const ExprRef &b);
/// `factor * g`. A factor that is a choice selects: `(1 if c else 0) * g` is `g if c else 0`.
ExprRef product(const ExprRef &factor, const ExprRef &g);
/// The node with a sign of its operands in front of it, or gone: `a * -b` is `-(a * b)`. Changes no bit of the value.
ExprRef signsOutside(const ExprRef &e);
/// `a if condition else b`
ExprRef choice(const ExprRef &condition, const ExprRef &a, const ExprRef &b);

} // namespace sdfgc::py::detail
