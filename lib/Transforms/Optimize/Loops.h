// What loops say of their iterations, who reads their variables, and what takes their place.
#pragma once

#include "sdfgc/Analysis/Dependences.h"
#include "sdfgc/Nest/LoopHeader.h"

namespace sdfgc::transforms {

using nest::headerOf;
using nest::isOfIntegers;
using nest::LoopHeader;

/// Does something outside of a loop read its variable, without a loop around it that sets it?
bool isVariableReadOutside(const ir::LoopRegion &l);
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
