// A check, at run time, that no value occurs twice among elements of index arrays.
#pragma once

#include "Transforms/Optimize/IndexReads.h"

namespace sdfgc::transforms {

/// Blocks that make a check. `last` follows `first`; `passed` is a symbol: 1 afterwards if the conditions hold, otherwise 0.
struct IndexCheck {
    ir::Block *first = nullptr, *last = nullptr;
    Name passed;
};

/// Adds blocks to a region that check conditions on index arrays if there are threads to gain from, and if `when` (`and N > 9`, or
/// nothing) holds. An index that occurs twice, or that is much greater than the number of indices, fails the check, and the indices
/// after it are not read. `reads`: of the same arrays, in the loop in question, `like`.
IndexCheck addIndexCheck(ir::Region &r, const std::vector<nest::DistinctIndex> &conditions, const IndexReads &reads,
                         const std::string &when, const ir::LoopRegion &like);

} // namespace sdfgc::transforms
