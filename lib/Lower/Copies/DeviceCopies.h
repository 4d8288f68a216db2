// Copies in a GPU program: those that the host queues on a stream, and those that threads of a kernel perform together. The pass
// select-copies chooses the method (sdfgc/Analysis/Memory/Copies.h has the table); this file creates the calls and the loops around
// them.
#pragma once

#include "CopySide.h"

namespace sdfgc::tree::lowering {

/// The host queues a device copy on a stream. Reports a method that no longer suits the copy's shape.
void queueCopy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, int stream, Block &out);

/// Distributes the elements of a copy over the threads of a block, or of the grid of a persistent kernel.
void cooperativeCopy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, Block &out);

} // namespace sdfgc::tree::lowering
