// Bounds: which subsets leave their container for certain.
//
// In loops a subset names other elements in each iteration. One iteration that is sure to come and leaves the container is enough. It is
// looked for where a bound is least, or greatest: for a bound that is affine in the variables, each has its first or its last value there.
#pragma once

#include "sdfgc/Analysis/Dependences.h"

#include <functional>

namespace sdfgc::analysis {

/// Is one expression provably less than another one?
using IsLess = std::function<bool(sym::Expr, sym::Expr)>;

/// Why indices of one dimension leave it in some iteration of the loops (outermost first): `its first index is -1`; nothing if that is not certain, or
/// no iteration comes. `extent`: of the dimension. A loop that may or may not have iterations is taken to have some, as a map is.
std::optional<std::string> whyOutside(const sym::Range &indices, sym::Expr extent, const std::vector<LoopLevel> &loops,
                                      const IsLess &less);

/// The least value of an expression in iterations of the loops (outermost first), if there are any; nothing unless it is affine in their
/// variables.
std::optional<sym::Expr> leastOf(sym::Expr e, const std::vector<LoopLevel> &loops);

/// An upper bound of a size over all iterations of the loops (outermost first), at least 0: the largest value where the size is affine in
/// their variables. Nothing if there is no formula without loops of its own.
std::optional<sym::Expr> largestOf(sym::Expr size, const std::vector<LoopLevel> &loops, const sym::Assumptions &facts);

} // namespace sdfgc::analysis
