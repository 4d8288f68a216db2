// Copies between containers, by the method that select-copies has chosen (sdfgc/Analysis/Memory/Copies.h has the table): bytes, or
// loops over corresponding dimensions or in row-major order of both subsets (format reference 6.14). References are set. Streams
// push and pop (StreamCopies.h); copies that involve a device are in DeviceCopies.h.
#pragma once

#include "CopySide.h"

namespace sdfgc::tree::lowering {

/// A transfer (analysis::isTransfer): an edge that moves data between two access nodes. Reports an end without a place.
void copyEdge(Instance &in, ir::Edge &e, Block &out);

/// A copy from `src` to `dst`, with the properties of the edge. The device's part of it is queued on `stream`. Reports sides with
/// different numbers of elements.
void copy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, int stream, Block &out);

} // namespace sdfgc::tree::lowering
