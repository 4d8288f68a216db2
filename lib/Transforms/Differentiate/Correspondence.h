// Pairs the elements that a node reads with the elements of its result.
#pragma once

#include "Transforms/Differentiate/LibraryRules.h"
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

/// A reduction or transposition.
struct SingleInput {
    explicit SingleInput(const RuleNode &n);
    std::string why; // not empty: it has no derivative, and nothing else is set
    const nest::Use *in = nullptr, *out = nullptr;
    analysis::Combination how;
    py::Reduction kind = py::Reduction::Custom;
    std::optional<std::vector<int>> dims; // of the result, as in `correspond`; nothing if the shapes do not fit
};

} // namespace sdfgc::transforms::gradient
