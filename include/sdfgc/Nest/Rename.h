// Gives symbols in memlets and nodes other meanings.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::nest {

/// Applies to the subsets and the volume of a memlet.
void renameSymbols(ir::Memlet &m, const std::map<Name, sym::Expr> &meaning);

/// Applies to everything in the node itself, but not to its edges. `scope`: the SDFG that the node belongs to. The node
/// may be in no state yet.
void renameSymbols(ir::Node &n, const ir::SDFG &scope, const std::map<Name, sym::Expr> &meaning);

/// Can they be renamed everywhere in the node itself? See canRename of items (sdfgc/Nest/Nest.h).
bool canRename(const ir::Node &n, const std::map<Name, sym::Expr> &meaning);

} // namespace sdfgc::nest
