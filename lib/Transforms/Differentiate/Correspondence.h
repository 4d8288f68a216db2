// Elements of what a node reads, and the element of its result that each belongs to.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include <optional>

namespace sdfgc::transforms::gradient {

/// A map over the elements of an operand, and which element of the result each belongs to.
struct Correspondence {
    Maker::Walk walk;
    sym::Subset operand, result; // of an iteration
};
/// `dims`: the dimension of the result of each dimension of the operand of more than one element; -1: none. Both uses need a subset.
Correspondence correspond(const Maker &m, const nest::Use &operand, const nest::Use &result, const std::vector<int> &dims);

/// The same dimensions of another use of the result, `as`, which may have other dimensions of one element than `result`.
std::vector<int> dimsIn(const sym::Subset &as, const sym::Subset &result, const std::vector<int> &dims);

/// These dimensions, for a Reduce node. Nothing if its axes do not fit the shape of the result.
std::optional<std::vector<int>> keptDims(const ir::LibraryNode &n, const sym::Subset &in, const sym::Subset &out);

} // namespace sdfgc::transforms::gradient
