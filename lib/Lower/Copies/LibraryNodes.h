// Library nodes that reach the lowering: copies, fills, and the operations of sdfgc/Analysis/Device/Async.h (memory, streams,
// barriers). All others have been expanded.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// One library node. One of another kind is reported.
void lowerLibraryNode(Instance &in, ir::LibraryNode &n, Block &out);

} // namespace sdfgc::tree::lowering
