// Copies between containers, in the way that select-copies has chosen (sdfgc/Analysis/Memory/Copies.h has the table): bytes, or
// loops over corresponding dimensions or in row-major order of both subsets (format reference 6.14). References are set. Streams
// push and pop (StreamCopies.h); what involves a device is in DeviceCopies.h.
#pragma once

#include "CopySide.h"

namespace sdfgc::tree::lowering {

/// A transfer (analysis::isTransfer): an edge that moves data between two access nodes. An end without a place is reported.
void copyEdge(Instance &in, ir::Edge &e, Block &out);

/// A copy from `src` to `dst`; the edge says how. What the device does of it is queued on `stream`. Sides with different numbers of
/// elements are reported.
void copy(Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, int stream, Block &out);

} // namespace sdfgc::tree::lowering
