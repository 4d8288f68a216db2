// Maps whose iterations run in order, and the loops that they become.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Does an iteration of a sequential or ordered map, as far as anyone can tell, write an element that another one reads or writes, whose
/// gradient it would need? Sums into an element do not count: they may be in any order.
bool isInOrder(const nest::Map &m, const Program &program, const std::function<bool(const nest::Use &)> &isActive);

/// Lets such maps be nested SDFGs with loops (the pass loops-for-maps, of one SDFG). Returns whether anything changed.
bool loopsForMaps(ir::SDFG &g, const Request &request, pass::Context &context);

} // namespace sdfgc::transforms::gradient
