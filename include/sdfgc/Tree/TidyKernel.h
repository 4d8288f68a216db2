#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

/// Improves a kernel's body that is still in the terms of `f`, the host's function around it.
void tidyKernel(const Function &f, Block &body);

} // namespace sdfgc::tree
