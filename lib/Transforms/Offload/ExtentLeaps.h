// Loops that only find extents need not run all of their iterations. For AccessedExtent.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::transforms {

/// Edges that raise an extent, and what to; looked up only.
using ExtentSites = std::map<const ir::InterstateEdge *, std::vector<sym::Expr>>;

/// Lets a loop run only its first and last iteration if its variable decides about nothing else than affine extents, and nothing is
/// computed of what an iteration assigns. Inner loops first. `extent`: the symbol that the edges raise.
void leap(ir::LoopRegion &l, Name extent, const ExtentSites &sites);

} // namespace sdfgc::transforms
