// What loops say of their iterations, who reads their variables, and what takes their place.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <optional>

namespace sdfgc::transforms {

/// The values of a loop's variable: from the lowest to the highest, in steps of its step.
struct LoopHeader {
    sym::Range range;
    bool descending = false; // it counts down, by one
};
/// Nothing where the loop is more than `v = begin; v < end; v = v + step` with a constant step, or its like.
std::optional<LoopHeader> headerOf(const ir::LoopRegion &l);

/// Has a range only symbols of integers, and no content of containers?
bool isOfIntegers(const sym::Range &r, const ir::SDFG &g);

/// Does something outside of a loop read its variable, without a loop around it that sets it?
bool isVariableReadOutside(const ir::LoopRegion &l);
/// Undeclares a symbol that was the variable of loops, if none is left: nobody gives it a value any more.
void forgetVariable(ir::SDFG &g, Name variable);

/// A new, empty state in the place of a loop: the edges of the loop are the state's. The loop is still in the region.
ir::State &stateInPlaceOf(ir::LoopRegion &l);

/// Is an SDFG nested in a scope?
bool isInScope(const ir::SDFG &g);

} // namespace sdfgc::transforms
