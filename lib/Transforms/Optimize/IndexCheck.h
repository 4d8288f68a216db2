// A check, at run time, that no value occurs twice among elements of index arrays.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::transforms {

/// Blocks that make a check. `last` follows `first`; `passed` is a symbol: 1 afterwards if the conditions hold, otherwise 0.
struct IndexCheck {
    ir::Block *first = nullptr, *last = nullptr;
    Name passed;
};

/// Adds blocks to a region that check conditions on index arrays if there are threads to gain from. An index that is outside of its
/// dimension fails the check, as does one that occurs twice; the rest is not looked at then. Elements outside of an index array are
/// not read. `like`: the loop in question, for names.
IndexCheck addIndexCheck(ir::Region &r, const std::vector<nest::DistinctIndex> &conditions, const ir::LoopRegion &like);

/// The cost of a check, in operations as those of analysis::workOf.
sym::Expr costOfCheck(const std::vector<nest::DistinctIndex> &conditions);

} // namespace sdfgc::transforms
