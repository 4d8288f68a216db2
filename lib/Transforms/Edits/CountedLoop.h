// Counted loops: reads their headers and derives what is known about their trip counts.
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"
#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A loop with an initial value, a step, and an end that it does not change, although it may stop earlier. Or a loop
/// without such an end (`isOpen`): only its condition ends it.
struct CountedLoop {
    ir::LoopRegion *region = nullptr;
    sym::Range walk;                // values of the variable, in loop order; the step may be negative
    std::optional<sym::Expr> count; // number of iterations, if it is not a quotient of the values in `walk`; `walk` then ends with
                                    // the last value
    bool stopsEarly = false;        // `count` and the end of `walk` are upper bounds: the condition may end the loop earlier
    bool isOpen = false;            // the end of `walk` is undefined
    analysis::LoopLevel level() const { return {region->variable, walk}; }
    /// The number of the iteration, from 0, in terms of the variable.
    sym::Expr number() const;
    /// The number of iterations, or its upper bound; a negative number means none. Only for loops with an end.
    sym::Expr trips() const;
    /// The same, or a constant that bounds it for all values of symbols: for the last segment of a loop.
    sym::Expr room() const;
    /// The value in the last iteration, if the loop has an end and does not stop early.
    sym::Expr last() const;
};
/// Returns nothing if the loop has another form.
std::optional<CountedLoop> countedLoop(ir::LoopRegion &l);
/// Returns all loops around a region, including itself, outermost first; nothing if one of them has another form.
std::optional<std::vector<CountedLoop>> countedLoopsAround(ir::Region &r);

/// Is the header of a loop `i = first; i REL end`, both evaluated whenever the loop is reached?
bool hasPlainHeader(const ir::LoopRegion &l);

/// Returns the top-level block of the SDFG that contains a region, possibly the region itself.
ir::Block *outermost(ir::Region &r);

} // namespace sdfgc::transforms
