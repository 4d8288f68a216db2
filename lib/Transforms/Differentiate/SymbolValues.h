// Symbols that edges and loops give values.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms::gradient {

/// Symbols that edges and loops inside of a block assign, at any depth; the variable of a loop itself is among them. Empty for states.
std::set<Name> assignedIn(const ir::Block &b);
/// Symbols that one edge outside of loops assigns, and nothing else: they keep that value.
std::set<Name> assignedOnce(const ir::SDFG &g);
/// Symbols that a block reads, at any depth, whoever assigns them; conditions of branches do not count.
std::set<Name> readIn(const ir::Block &b);

} // namespace sdfgc::transforms::gradient
