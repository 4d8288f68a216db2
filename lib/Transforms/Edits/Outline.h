// Outlines a block into a nested SDFG, to run it again or to reverse it separately.
#pragma once

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Returns a block and all blocks inside it, in a fixed order.
std::vector<ir::Block *> blocksOf(ir::Block &b);

/// The level of an SDFG created from a part of another one. Passes before a gradient add containers without storage to the program,
/// but it is typed.
ir::Level levelOfParts(const ir::SDFG &g);
/// Creates a node with a copy of a block as its only content. Its SDFG has all containers of the surrounding SDFG, not
/// yet as arguments, and the symbols that the block assigns.
std::unique_ptr<ir::NestedSDFGNode> outlined(ir::Block &b, const std::string &name, const analysis::SymbolTypes &types);

/// Returns the containers that dataflow in a block writes. The block may be an SDFG.
std::set<Name> writtenIn(ir::Block &b);
/// Returns the containers that dataflow outside a block uses, and those that control flow reads anywhere.
std::set<Name> usedOutside(ir::SDFG &g, ir::Block &b);

/// Returns the symbols that have a value before a top-level block of the SDFG.
std::set<Name> knownAt(ir::SDFG &g, const ir::Block &b);
/// Passes the symbols that the nested SDFG needs, including initial values of those that it assigns. `known`: symbols
/// that exist.
void passSymbols(ir::NestedSDFGNode &node, const std::set<Name> &known, const analysis::SymbolTypes &types);

} // namespace sdfgc::transforms
