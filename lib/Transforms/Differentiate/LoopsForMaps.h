// Maps whose iterations run in order.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// May an iteration of a sequential or ordered map write an element that another one reads or writes, and whose
/// gradient it would need? Sums into an element do not count, since their order does not matter.
bool isInOrder(const nest::Map &m, const PrimalProgram &program, const std::function<bool(const nest::Use &)> &isActive);

/// Replaces such maps of one SDFG with nested SDFGs that contain loops, as the pass loops-for-maps does. Returns whether
/// anything changed.
bool loopsForMaps(ir::SDFG &g, const Request &request, pass::Context &context);

} // namespace sdfgc::transforms::gradient
