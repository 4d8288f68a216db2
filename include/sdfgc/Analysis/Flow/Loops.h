// Reads of loop variables, and replacement of loops.
#pragma once

#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include <optional>
#include <set>

namespace sdfgc::analysis {

/// Tells which loop variables of an SDFG are read where no loop sets them. A single walk over the SDFG answers this for
/// all of its loops. The answer for a loop remains valid while other loops become maps, because the parameters of these
/// maps have the names of the variables.
class VariableReads {
public:
    explicit VariableReads(const ir::SDFG &g);
    /// Is the variable of a loop read outside it, where no surrounding loop sets it? This includes a surrounding loop
    /// with the same variable, which reads it to count on.
    bool isReadOutside(const ir::LoopRegion &l) const;

private:
    template <class Names> void addNames(const Names &names);
    void add(const std::optional<ir::Code> &c);
    void region(const ir::Region &r);
    void block(const ir::Block &b);
    void state(const ir::State &s);
    const ir::SDFG &g_;
    std::set<Name> variables_; // of all loops
    std::set<Name> set_;       // by the loops around the current element
    std::set<Name> read_;
};
/// Undeclares the symbol of a loop variable if no loop uses it any more, since nothing would assign it.
void forgetVariable(ir::SDFG &g, Name variable);

/// Creates an empty state that takes over the edges of a loop. The loop itself stays in the region.
ir::State &stateInPlaceOf(ir::LoopRegion &l);

/// Returns the blocks of a region in order, if each except the last has an unconditional edge to the next. Empty
/// otherwise.
std::vector<ir::Block *> sequenceOf(ir::Region &r);

/// Does a region contain a break, a continue or a return?
bool hasJump(const ir::Region &r);

/// Returns the innermost loop of the SDFG that contains a region, possibly the region itself; null if there is none.
ir::LoopRegion *loopAround(ir::Region *r);
const ir::LoopRegion *loopAround(const ir::Region *r);

/// Returns the top-level block of the SDFG that contains a region, possibly the region itself.
ir::Block *outermost(ir::Region &r);

/// Is an SDFG nested in a scope?
bool isInScope(const ir::SDFG &g);

} // namespace sdfgc::analysis
