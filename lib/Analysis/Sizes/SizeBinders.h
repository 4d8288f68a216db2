// Binders inside a sym::Expr: calls of SumOver and MaxOver, whose variables are named by nesting depth.
#pragma once

#include "sdfgc/Analysis/Sizes/SizeExpr.h"

namespace sdfgc::analysis::size {

struct Parts {
    bool isSum;
    sym::Expr variable, begin, end, body;
};
bool isBinder(sym::Expr e);
/// The parts of a binder.
Parts partsOf(sym::Expr binder);
/// A binder, without an attempt to find a closed form.
sym::Expr bind(bool isSum, Name variable, sym::Expr begin, sym::Expr end, sym::Expr body);
/// Converts calls that look like binders to binders, innermost first, whatever the names of their variables.
sym::Expr bindAll(sym::Expr e);
/// Is it the name of a bound variable (`#1`, `#2`, ...)?
bool isBound(Name n);

/// The facts, except that symbols known to be positive because they are sizes may be 0.
sym::Assumptions withEmptySizes(sym::Assumptions facts);
bool neverNegative(sym::Expr e, const sym::Assumptions &facts);

/// Can the expression fail to have a value although all symbols have one: does it read an element, or divide by something that may
/// be 0? Parts in `known` are known to have a value.
bool mayFail(sym::Expr e, std::span<const sym::Expr> known);

/// A closed form, or else a binder. `facts` allow empty sizes.
sym::Expr sumOver(Name variable, sym::Expr begin, sym::Expr end, sym::Expr body, const sym::Assumptions &facts);
sym::Expr maxOver(Name variable, sym::Expr begin, sym::Expr end, sym::Expr body, const sym::Assumptions &facts);

} // namespace sdfgc::analysis::size
