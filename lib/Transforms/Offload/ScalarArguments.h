// Arguments of nested SDFGs that are arrays of one element, but stand for a scalar.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Makes them scalars if they are only read, in all SDFGs nested in `g`: kernels get scalars by value, as they get those of the root.
void takeScalars(ir::SDFG &g);

} // namespace sdfgc::transforms
