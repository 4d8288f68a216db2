// Library nodes that reach the lowering: copies, fills, and the operations of sdfgc/Analysis/Device/Async.h (memory, streams,
// barriers). All other kinds have been expanded.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Lowers one library node. Reports one of any other kind.
void lowerLibraryNode(Instance &in, ir::LibraryNode &n, Block &out);

} // namespace sdfgc::tree::lowering
