// Assignments that part what could be one GPU graph.
//
//     state init { kernel }   it = 0   loop { ... }      ->      it = 0   state init { kernel }   loop { ... }
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <string>

namespace sdfgc::transforms {

/// Moves what the edge after a state assigns in front of the state, where both are unconditional and the only ones there, the values are
/// computed of symbols alone, and the state reads none of what they set. A state that the region starts with gets an empty one in front
/// of it. `parts`: would the state and the block after it be one? `fresh`: a label that no block has. Returns whether anything has moved.
/// Linear in the region.
bool assignEarly(ir::Region &r, const std::function<bool(ir::State &, ir::Block &)> &parts,
                 const std::function<std::string(const std::string &)> &fresh);

} // namespace sdfgc::transforms
