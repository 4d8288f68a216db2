// Outer values of the symbols of a nested SDFG.
#pragma once

#include "Analysis/Symbols/ScopeNames.h"

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::analysis {

/// Values of the symbols that the symbol mapping of the node passes to `g`, over names of the surrounding SDFGs; these names carry
/// a mark, so none is a name of `g`. Values that read containers are left out, as are names defined by `scope` or a scope around
/// it. Symbols that `g` assigns itself are included only if `assigned` is set; finding and excluding them takes a walk over all of
/// its control flow.
std::map<Name, sym::Expr> outerValues(const ir::SDFG &g, const ScopeTree &scopes, const ir::Node *scope, bool assigned);

} // namespace sdfgc::analysis
