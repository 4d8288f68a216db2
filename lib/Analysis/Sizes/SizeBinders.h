// Binders inside of a sym::Expr: calls of SumOver and MaxOver, whose variable has a name by its nesting.
#pragma once

#include "sdfgc/Analysis/Sizes/SizeExpr.h"

namespace sdfgc::analysis::size {

struct Parts {
    bool isSum;
    sym::Expr variable, begin, end, body;
};
bool isBinder(sym::Expr e);
/// Of a binder.
Parts partsOf(sym::Expr binder);
/// A binder as it is, without looking for a closed form.
sym::Expr bind(bool isSum, Name variable, sym::Expr begin, sym::Expr end, sym::Expr body);
/// Makes binders of calls that look like some, from the innermost on, whatever their variables are called.
sym::Expr bindAll(sym::Expr e);
/// `#1`, `#2`, ...: the name of a bound variable?
bool isBound(Name n);

/// Facts of symbols of which those that are positive because they are sizes may be 0.
sym::Assumptions withEmptySizes(sym::Assumptions facts);
bool neverNegative(sym::Expr e, const sym::Assumptions &facts);

/// Can a value be missing although all symbols have one: does it read an element, or divide by what may be 0? Not in parts of what is
/// `known` to have a value.
bool mayFail(sym::Expr e, std::span<const sym::Expr> known);

/// Closed forms, or binders. `facts` are those with empty sizes.
sym::Expr sumOver(Name variable, sym::Expr begin, sym::Expr end, sym::Expr body, const SizeFacts &facts);
sym::Expr maxOver(Name variable, sym::Expr begin, sym::Expr end, sym::Expr body, const SizeFacts &facts);

} // namespace sdfgc::analysis::size
