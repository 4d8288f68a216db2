// Sequential maps whose iterations depend on each other become loops, which know how to be reversed.
//
//     map i (Sequential) { y[i] = c * y[i - 1] }    ->    nested SDFG of y { for i { y[i] = c * y[i - 1] } }
//
// The iterations of a map have no order, and those of its gradient have none either. A sequential map has one, and programs use it: as an
// iteration hands on what it wrote, its gradient takes what later iterations handed back, so that the last one comes first.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Does an iteration of a sequential or ordered map, as far as anyone can tell, write an element that another one reads or writes, whose
/// gradient it would need? Sums into an element do not count: they may be in any order.
bool isInOrder(const nest::Map &m, const Program &program, const std::function<bool(const nest::Use &)> &isActive);

/// Lets such maps be nested SDFGs with loops; those that use one memory by several names stay, and are refused when they are reversed.
void loopsForMaps(ir::SDFG &g, const Request &request, pass::Context &context);

} // namespace sdfgc::transforms::gradient
