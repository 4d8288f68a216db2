// What loops say of their iterations.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>

namespace sdfgc::nest {

/// The values of a loop's variable: from the lowest to the highest, in steps of its step.
struct LoopHeader {
    sym::Range range;
    bool descending = false; // it counts down, by one
};
/// Nothing where the loop is more than `v = begin; v < end; v = v + step` with a constant step, or its like.
std::optional<LoopHeader> headerOf(const ir::LoopRegion &l);

/// Has a range only symbols of integers, and no content of containers?
bool isOfIntegers(const sym::Range &r, const ir::SDFG &g);

} // namespace sdfgc::nest
