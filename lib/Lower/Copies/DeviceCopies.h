// Copies of a GPU program: what the host queues on a stream, and what threads of a kernel do together. How is decided by the pass
// select-copies (sdfgc/Analysis/Memory/Copies.h has the table); here the calls and the loops around them are made.
#pragma once

#include "CopySide.h"

namespace sdfgc::tree::lowering {

/// The host hands a copy to the device, on a stream. A method that no longer suits the copy's shape is reported.
void queueCopy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, int stream, Block &out);

/// The threads of a block, or of the grid of a persistent kernel, share out the elements of a copy.
void cooperativeCopy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, Block &out);

} // namespace sdfgc::tree::lowering
