// Moves the body of a loop, as it is, into a nested SDFG in a map.
#pragma once

#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::nest {

/// Returns a step whose only node is a new nested SDFG with the blocks of the loop's body. The loop then only
/// contains a state with the access nodes to which the uses of the step refer; replace it with LoopItems::replaceEmpty.
/// Containers in `locals`, and views that only the body uses, move inside, others are passed as whole arguments, in any
/// case those that the body writes. Symbols that the body assigns are declared inside, others are passed; those outside
/// stay declared (forgetSymbols). Parallel maps in the body become sequential. `inside`: containers that only the body
/// uses (LoopItems::release).
Step moveBody(ir::LoopRegion &l, const LoopBody &body, const std::set<Name> &locals, analysis::Memories &memories,
              const std::set<Name> &inside);

/// Undeclares those of the symbols that nothing in the SDFG assigns or reads any more.
void forgetSymbols(ir::SDFG &g, const std::set<Name> &symbols);

} // namespace sdfgc::nest
