// What symbols of a nested SDFG stand for outside.
#pragma once

#include "Analysis/Symbols/ScopeNames.h"

#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::analysis {

/// Values of the symbols that `g` gets by its node's symbol mapping, over names of the SDFGs around it; these names carry a mark, so
/// that none is a name of `g`. Left out are values that read containers, and names that `scope` or a scope around it defines; what
/// `g` assigns itself only if `assigned` says so, since to find that takes a walk over all of its control flow.
std::map<Name, sym::Expr> outerValues(const ir::SDFG &g, const ScopeTree &scopes, const ir::Node *scope, bool assigned);

} // namespace sdfgc::analysis
