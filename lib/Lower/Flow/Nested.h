// Nested SDFGs: lowered in place, or as separate functions if C++ needs one.
//
// The default is in place: inner containers are other names for outer memory (base variable, offset, inner strides), inner symbols
// are outer expressions, and nothing is passed or copied. A function is needed for an early return.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A nested SDFG. Reports nested SDFGs without contents, and containers connected to them that have no place.
void lowerNested(Instance &in, ir::NestedSDFGNode &n, Block &out);

} // namespace sdfgc::tree::lowering
