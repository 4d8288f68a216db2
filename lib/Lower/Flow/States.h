// Dataflow: nodes of a state in execution order, scope by scope.
//
// A node becomes statements at its position in the order of its scope. Copies have no node of their own: data of an edge between
// access nodes is copied when one of the two is reached.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// One state, as a block of statements; nothing for an empty one.
void lowerState(Instance &in, ir::State &s, Block &out);

/// The contents of a scope of the state that is being lowered: declarations, then its nodes. A null entry means the state itself.
void lowerScope(Instance &in, const ir::Node *entry, Block &out);

} // namespace sdfgc::tree::lowering
