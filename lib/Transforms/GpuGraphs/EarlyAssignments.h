// Hoists assignments that would split a GPU graph.
//
//     state init { kernel }   it = 0   loop { ... }      ->      it = 0   state init { kernel }   loop { ... }
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <string>

namespace sdfgc::transforms {

/// Hoists the assignments of a state's outgoing edge to before the state. Incoming and outgoing edge must be
/// unconditional and the only ones, the values must depend only on symbols, and the state must read none of the
/// assigned symbols. A start state gets an empty predecessor. `parts`: could the state and the next block be in one
/// graph? `fresh`: returns an unused label. Returns whether anything moved. Linear in the region.
bool assignEarly(ir::Region &r, const std::function<bool(ir::State &, ir::Block &)> &parts,
                 const std::function<std::string(const std::string &)> &fresh);

} // namespace sdfgc::transforms
