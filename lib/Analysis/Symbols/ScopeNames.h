// Names that a scope entry defines for its content, which scope an edge lives in, and which edges end at one.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

/// Is `n` a parameter, worker index or dynamic range connector of the entry?
bool definesInside(const ir::Node *entry, Name n);

/// Is `n` defined by `scope` or a scope around it?
bool definedByScope(const ScopeTree &scopes, const ir::Node *scope, Name n);

/// Innermost scope whose parameters an edge can use: that of its deeper end.
const ir::Node *scopeOfEdge(const ScopeTree &scopes, const ir::Edge &e);

/// Does the edge lead on into a scope, or out of one? Its memlet sums up those of the edges inside.
bool isOuterEdge(const ir::Edge &e);

} // namespace sdfgc::analysis
