// Gradients of library nodes.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Adds the items that hand the gradients of a node's results to its operands. Reports an error if the node has no derivative.
void reverseLibraryNode(ItemReverser &r, const nest::Step &s, const ir::LibraryNode &n, Body &b, std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
