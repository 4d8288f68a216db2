// Loop headers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>

namespace sdfgc::analysis {

/// The values of a loop variable, from lowest to highest, with the step of the loop.
struct LoopHeader {
    sym::Range range;
    bool descending = false; // counts down
    /// The values in the order in which the loop runs: the step is negative for a descending loop.
    sym::Range walk() const;
    /// The value of the variable after the loop.
    sym::Expr last() const;
};
/// Returns nothing unless the loop has the form `v = begin; v < end; v = v + step`, or `v = begin; v > end; v = v -
/// step`, with a constant step, or an equivalent one.
std::optional<LoopHeader> headerOf(const ir::LoopRegion &l);

/// Does a range contain only integer symbols, and no contents of containers?
bool isOfIntegers(const sym::Range &r, const ir::SDFG &g);

} // namespace sdfgc::analysis
