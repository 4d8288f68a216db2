// What loops say of their iterations.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>

namespace sdfgc::nest {

/// The values of a loop's variable: from the lowest to the highest, in steps of its step.
struct LoopHeader {
    sym::Range range;
    bool descending = false; // it counts down
    /// The same in the order in which the loop runs: the step of one that counts down is negative.
    sym::Range walk() const;
    /// The value that the variable has after the loop.
    sym::Expr last() const;
};
/// Nothing where the loop is more than `v = begin; v < end; v = v + step`, or `v = begin; v > end; v = v - step`, with a constant step, or their
/// like.
std::optional<LoopHeader> headerOf(const ir::LoopRegion &l);

/// Has a range only symbols of integers, and no content of containers?
bool isOfIntegers(const sym::Range &r, const ir::SDFG &g);

} // namespace sdfgc::nest
