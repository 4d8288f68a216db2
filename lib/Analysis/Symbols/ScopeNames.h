// Names that a scope entry defines for its content, the scope of an edge, and the edges that end at a scope.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

/// Is `n` a parameter, worker index or dynamic range connector of the entry, or the number of lanes of its SVE_Map?
bool definesInside(const ir::Node *entry, Name n);

/// Is `n` defined by `scope` or a scope around it?
bool definedByScope(const ScopeTree &scopes, const ir::Node *scope, Name n);

/// The innermost scope whose parameters an edge can use: that of its deeper end.
const ir::Node *scopeOfEdge(const ScopeTree &scopes, const ir::Edge &e);

/// Does the edge continue into a scope, or come out of one? Its memlet is the union of those of the edges inside.
bool isOuterEdge(const ir::Edge &e);

} // namespace sdfgc::analysis
