// Nested SDFGs: lowered in place where they are, or as functions of their own where C++ needs one.
//
// In place is the rule: the inner containers are other names for outer memory (base variable, offset, inner strides), inner symbols
// are outer expressions, and nothing is passed or copied. A function is needed for an early return.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A nested SDFG. Reported: one without content, and containers that it is connected to without a place.
void lowerNested(Instance &in, ir::NestedSDFGNode &n, Block &out);

} // namespace sdfgc::tree::lowering
