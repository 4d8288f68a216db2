// Loops whose iterations can be counted: what their headers say, and what is known of how often they run.
#pragma once

#include "sdfgc/Analysis/Dependences.h"
#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A loop with a first value, a step, and an end that it does not change. It may stop before that end.
/// Or one that has no such end (`isOpen`): only its condition says when it stops.
struct CountedLoop {
    ir::LoopRegion *region = nullptr;
    sym::Range walk;                // values of the variable, in the order in which the loop takes them; the step may be negative
    std::optional<sym::Expr> count; // of iterations, where it is no quotient of these; then `walk` ends with the last value
    bool stopsEarly = false;        // `count` and the end of `walk` are the most that there can be: the condition says more
    bool isOpen = false;            // the end of `walk` is not defined
    analysis::LoopLevel level() const { return {region->variable, walk}; }
    /// The number of the iteration, from 0, in terms of the variable.
    sym::Expr number() const;
    /// How many iterations there are, or can be; negative numbers mean none. Of a loop with an end.
    sym::Expr trips() const;
    /// The same, or a constant if there are no more whatever the values of symbols: of the segment of a loop that may be the last one.
    sym::Expr room() const;
    /// The value in the last iteration, if it has an end and does not stop early.
    sym::Expr last() const;
};
/// Nothing where the loop is of another form.
std::optional<CountedLoop> countedLoop(ir::LoopRegion &l);
/// All of them around a region, itself included, outermost first; nothing if one of the loops is of another form.
std::optional<std::vector<CountedLoop>> countedLoopsAround(ir::Region &r);

/// Is a loop's header `i = first; i REL end`, of which both are evaluated whenever the loop is reached?
bool hasPlainHeader(const ir::LoopRegion &l);

/// The block of the SDFG itself that a region is in, which may be the region.
ir::Block *outermost(ir::Region &r);

} // namespace sdfgc::transforms
