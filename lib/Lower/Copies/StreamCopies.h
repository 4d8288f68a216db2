// Copies between streams and arrays: elements are pushed or popped.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// One of the places is a stream. Reports an invalid place, and a copy from stream to stream.
void streamCopy(Instance &in, const MemoryPlace &src, const MemoryPlace &dst, ir::Edge &e, Block &out);

} // namespace sdfgc::tree::lowering
