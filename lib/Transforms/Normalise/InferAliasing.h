// Which arguments of a nested SDFG may overlap in memory?
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Marks inner arrays as possibly aliasing if two connectors with different names lead to the same outer container
/// (looking through views), or if that container may itself alias. Returns whether a mark was added.
bool inferAliasing(ir::NestedSDFGNode &node);

} // namespace sdfgc::transforms
