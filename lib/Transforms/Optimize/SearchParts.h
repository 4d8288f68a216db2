// Splits a loop that searches into parts that run in parallel (SplitSearches.cpp).
#pragma once

#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Optimize/Searches.h"

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// A loop that can be split.
struct SplitLoop {
    ir::LoopRegion &loop;
    analysis::LoopHeader header;
    std::vector<Search> searches;
    std::set<Name> locals;      // containers private to each iteration
    bool isReadOutside = false; // its variable
};

/// Splits a loop into parts of at least `work` operations. Returns why the parts remain a loop; empty if they are a map.
diag::Reason splitSearch(SplitLoop split, const LoopsOf &known, int64_t work);

} // namespace sdfgc::transforms
