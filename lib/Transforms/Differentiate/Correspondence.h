// Pairs the elements that a node reads with the elements of its result.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include <optional>

namespace sdfgc::transforms::gradient {

/// A walk over the elements of an operand, with the corresponding elements of the result.
struct Correspondence {
    Maker::Walk walk;
    sym::Subset operand, result; // of one iteration
};
/// `dims`: for each dimension of the operand with more than one element, the corresponding dimension of the result, or
/// -1 for none. Both uses need a subset.
Correspondence correspond(const Maker &m, const nest::Use &operand, const nest::Use &result, const std::vector<int> &dims);

/// Converts the dimensions to those of another use of the result, `as`, which may have other dimensions of size one
/// than `result`.
std::vector<int> dimsIn(const sym::Subset &as, const sym::Subset &result, const std::vector<int> &dims);

/// Returns these dimensions for a Reduce node, or nothing if its axes do not fit the shape of the result.
std::optional<std::vector<int>> keptDims(const ir::LibraryNode &n, const sym::Subset &in, const sym::Subset &out);

} // namespace sdfgc::transforms::gradient
