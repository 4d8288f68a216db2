// Derivatives of products of many factors.
#pragma once

#include "Transforms/Differentiate/Matrices.h"

namespace sdfgc::transforms::gradient {

/// A container with, for each element of what a Reduce node reads, the product of all others that make the same element of the result, and of
/// the node's identity. Where one factor is zero, only it has others that are not; where two are, all such products are zero. `operand`,
/// `result`: uses of the node, whose dimensions correspond as keptDims says; `value`: what it read, which may have other dimensions of one
/// element.
Name productsOfOthers(Maker &m, const ir::LibraryNode &node, const nest::Use &operand, const nest::Use &value,
                      const nest::Use &result, const std::vector<int> &kept, bool inScope, const Matrices::Temporary &temporary,
                      std::vector<nest::Item> &out);

} // namespace sdfgc::transforms::gradient
