// Inputs of random programs.
#pragma once

#include "sdfgc/Run/Arguments.h"

#include <map>
#include <optional>
#include <string>

namespace sdfgc::random {

using Sizes = std::map<std::string, int64_t>;

/// Arguments of a graph with these values of its symbols, from a seed: small whole numbers and multiples of 1/8, of which the sums
/// that random programs make are exact. Nothing, and why in `*why`, where a symbol is not given or a size is impossible.
std::optional<run::Arguments> inputsFor(const ir::SDFG &graph, const Sizes &sizes, uint64_t seed, std::string *why);

} // namespace sdfgc::random
