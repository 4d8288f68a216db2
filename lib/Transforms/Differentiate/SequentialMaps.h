// Converts sequential maps with dependent iterations to loops, which can be reversed.
//
//     map i (Sequential) { y[i] = c * y[i - 1] }    ->    nested SDFG of y { for i { y[i] = c * y[i - 1] } }
//
// Iterations of a map are unordered, and so are those of its gradient. A sequential map is ordered, and programs rely
// on it: an iteration reads what earlier ones wrote, so its gradient needs what later iterations propagated back, and
// the last iteration must come first.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// May an iteration of a sequential or ordered map write an element that another one reads or writes, and whose
/// gradient it would need? Sums into an element do not count, since their order does not matter.
bool isInOrder(const nest::Map &m, const Program &program, const std::function<bool(const nest::Use &)> &isActive);

/// Replaces such maps with nested SDFGs that contain loops. Maps that use one memory under several names stay, and are
/// refused when they are reversed.
void loopsForMaps(ir::SDFG &g, const Request &request, pass::Context &context);

} // namespace sdfgc::transforms::gradient
