// Fills: set every element of a part of a container to one value.
#pragma once

#include "CopySide.h"

namespace sdfgc::tree::lowering {

/// A fill, queued on `stream` if the host fills device memory.
void fill(Instance &in, const CopySide &dst, const py::ExprRef &value, int stream, Block &out);

} // namespace sdfgc::tree::lowering
