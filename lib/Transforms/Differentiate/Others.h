// Derivatives of products with many factors.
#pragma once

#include "Transforms/Differentiate/Matrices.h"

namespace sdfgc::transforms::gradient {

/// Creates a container with, for each element that a Reduce node reads, the product of all other elements that
/// contribute to the same result, and of the node's identity. If one factor is zero, only its own product can be
/// nonzero; if two are, all products are zero. `operand`, `result`: uses of the node, with corresponding dimensions as
/// in SingleInput::dims; `value`: the value read, which may have other dimensions of size one.
Name productsOfOthers(Maker &m, const ir::LibraryNode &node, const nest::Use &operand, const nest::Use &value,
                      const nest::Use &result, const std::vector<int> &kept, bool inScope, const Matrices::Temporary &temporary,
                      std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
