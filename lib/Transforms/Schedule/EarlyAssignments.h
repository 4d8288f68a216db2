// Assignments that part what could be one GPU graph.
//
//     state init { kernel }   it = 0   loop { ... }      ->      it = 0   state init { kernel }   loop { ... }
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>

namespace sdfgc::transforms {

/// Moves what the edge after a state assigns in front of the state, where both are unconditional and the only ones there, the values are
/// computed of symbols alone, and the state reads none of what they set. `parts`: would the state and the block after it be one? Returns
/// whether anything has moved. Linear in the region.
bool assignEarly(ir::Region &r, const std::function<bool(ir::State &, ir::Block &)> &parts);

} // namespace sdfgc::transforms
