// What loops say of their iterations, who reads their variables, and what takes their place.
#pragma once

#include "sdfgc/Analysis/Dependences.h"
#include "sdfgc/Nest/LoopHeader.h"

#include <optional>
#include <set>

namespace sdfgc::transforms {

using nest::headerOf;
using nest::isOfIntegers;
using nest::LoopHeader;

/// Which variables of the loops of an SDFG are read where no loop sets them. One walk over the SDFG answers for all of its loops. What it
/// says of a loop stays true while others become maps: their parameters have the names that their variables had.
class VariableReads {
public:
    explicit VariableReads(const ir::SDFG &g);
    /// Does something outside of a loop of the SDFG read its variable, without a loop around it that sets it? A loop around this one
    /// that has the same variable does, when it counts on.
    bool isReadOutside(const ir::LoopRegion &l) const;

private:
    template <class Names> void addNames(const Names &names);
    void add(const std::optional<ir::Code> &c);
    void region(const ir::Region &r);
    void block(const ir::Block &b);
    void state(const ir::State &s);
    const ir::SDFG &g_;
    std::set<Name> variables_; // of all loops
    std::set<Name> set_;       // by loops around what is looked at
    std::set<Name> read_;
};
/// The loops around a region, itself included, outermost first. Left out are those that do not count to an end that is known
/// (nest::headerOf), or whose body changes their variable or their ends.
std::vector<analysis::LoopLevel> loopsAround(const ir::Region &r);
/// Undeclares a symbol that was the variable of loops, if none is left: nobody gives it a value any more.
void forgetVariable(ir::SDFG &g, Name variable);

/// A new, empty state in the place of a loop: the edges of the loop are the state's. The loop is still in the region.
ir::State &stateInPlaceOf(ir::LoopRegion &l);

/// The blocks of a region in their order, if each but the last leads to the next, whatever holds. Empty otherwise.
std::vector<ir::Block *> sequenceOf(ir::Region &r);

/// Is an SDFG nested in a scope?
bool isInScope(const ir::SDFG &g);

} // namespace sdfgc::transforms
