// Symbols of memlets and nodes that get other meanings.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::nest {

/// In the subsets and the volume of a memlet.
void renameSymbols(ir::Memlet &m, const std::map<Name, sym::Expr> &meaning);

/// In all that the node itself says; not in its edges. `scope`: the SDFG that the node is for. The node may be in no state yet.
void renameSymbols(ir::Node &n, const ir::SDFG &scope, const std::map<Name, sym::Expr> &meaning);

/// Can they, in all that the node itself says? See canRename of items (sdfgc/Nest/Nest.h).
bool canRename(const ir::Node &n, const std::map<Name, sym::Expr> &meaning);

} // namespace sdfgc::nest
