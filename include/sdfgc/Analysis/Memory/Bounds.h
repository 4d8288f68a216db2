// Subsets that certainly leave their container.
//
// In a loop, a subset denotes different elements in each iteration. A single iteration that certainly runs and leaves
// the container is enough. The search looks at the minimum and maximum of each bound: a bound that is affine in the
// loop variables attains them at the first or last values of the variables.
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"

#include <functional>

namespace sdfgc::analysis {

/// Is one expression provably less than another one?
using IsLess = std::function<bool(sym::Expr, sym::Expr)>;

/// Returns why indices of one dimension leave it in some iteration of the loops (outermost first): `its first index is
/// -1`. Returns nothing if that is uncertain, or if there is no iteration. `extent`: of the dimension. A loop that may
/// be empty is assumed to have iterations, like a map.
std::optional<std::string> whyOutside(const sym::Range &indices, sym::Expr extent, const std::vector<LoopLevel> &loops,
                                      const IsLess &less);

/// Returns the minimum of an expression over the iterations of the loops (outermost first), assuming that there are
/// any; nothing unless it is affine in their variables.
std::optional<sym::Expr> leastOf(sym::Expr e, const std::vector<LoopLevel> &loops);

/// Returns an upper bound of a size over all iterations of the loops (outermost first), at least 0: the maximum if the
/// size is affine in their variables. Nothing if there is no closed formula.
std::optional<sym::Expr> largestOf(sym::Expr size, const std::vector<LoopLevel> &loops, const sym::Assumptions &facts);

} // namespace sdfgc::analysis
