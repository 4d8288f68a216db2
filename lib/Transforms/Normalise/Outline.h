// A block as a nested SDFG of its own: what runs once more, or is reversed by itself.
#pragma once

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// A block and all in it, always in the same order.
std::vector<ir::Block *> blocksOf(ir::Block &b);

/// The level of what is made of a part of an SDFG. What the passes in front of a gradient add to the program has no storage yet, but is typed.
ir::Level levelOfParts(const ir::SDFG &g);
/// A node whose SDFG has a copy of a block, and nothing else, with all containers of the SDFG around it, which are no arguments yet, and
/// the symbols that the block assigns.
std::unique_ptr<ir::NestedSDFGNode> outlined(ir::Block &b, const std::string &name, const analysis::SymbolTypes &types);

/// Containers that dataflow in a block writes, which may be an SDFG.
std::set<Name> writtenIn(ir::Block &b);
/// Containers that dataflow outside of a block uses, and those that control flow reads anywhere.
std::set<Name> usedOutside(ir::SDFG &g, ir::Block &b);

/// Symbols that have a value in front of a block of the SDFG itself.
std::set<Name> knownAt(ir::SDFG &g, const ir::Block &b);
/// Hands the nested SDFG the symbols that it needs, and the values that those have which it assigns. `known`: that there are.
void passSymbols(ir::NestedSDFGNode &node, const std::set<Name> &known, const analysis::SymbolTypes &types);

} // namespace sdfgc::transforms
