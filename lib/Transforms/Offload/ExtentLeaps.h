// Loops that only find extents need not run all of their iterations. For AccessedExtent.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::transforms {

/// Edges that raise an extent, and what to; looked up only.
using ExtentSites = std::map<const ir::InterstateEdge *, std::vector<sym::Expr>>;

/// Lets a loop run only its first and last iteration if its variable only determines affine extents, and no value is computed from what
/// an iteration assigns. Call it for inner loops first. `extent`: the symbol that the edges raise.
void leap(ir::LoopRegion &l, Name extent, const ExtentSites &sites);

} // namespace sdfgc::transforms
