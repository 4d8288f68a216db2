// Containers whose old elements an SDFG never uses.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <set>

namespace sdfgc::transforms {

/// The arrays and scalars of an SDFG, other than its views, of which it certainly writes every element, and reads none
/// before. Conservative: others may be overwritten, too.
std::set<Name> overwrittenContainers(ir::SDFG &g);

} // namespace sdfgc::transforms
