// Which arguments of a nested SDFG may overlap in memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Marks inner arrays as possibly aliasing when two connectors of different names lead to one outer container (views looked
/// through) or when that container may alias itself. Returns whether a mark was added.
bool inferAliasing(ir::NestedSDFGNode &node);

} // namespace sdfgc::transforms
