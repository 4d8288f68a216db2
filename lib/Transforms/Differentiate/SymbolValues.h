// Symbols that edges and loops give values.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms::gradient {

/// Symbols that edges and loops inside of a block assign, at any depth; the variable of a loop itself is among them. Empty for states.
std::set<Name> assignedIn(const ir::Block &b);
/// Symbols that one edge outside of loops assigns, and nothing else, nor who calls: they keep that value.
std::set<Name> assignedOnce(const ir::SDFG &g);
/// Symbols that a block reads, at any depth, whoever assigns them; conditions of branches do not count.
std::set<Name> readIn(const ir::Block &b);

/// Is it a function of the caller, which may do more than compute, and return something else each time?
bool isCallback(const ir::SDFG &g, Name n);
/// Such a function that control flow in a block calls: headers of loops, conditions and edges at any depth, nested SDFGs excluded. Empty: none.
Name callbackIn(const ir::Block &b);

} // namespace sdfgc::transforms::gradient
