// Inputs of random programs.
#pragma once

#include "sdfgc/Run/Arguments.h"

#include <map>
#include <optional>
#include <string>

namespace sdfgc::random {

using Sizes = std::map<std::string, int64_t>;

/// Arguments of a graph for these symbol values, derived from a seed: small integers and multiples of 1/8, for which the sums in
/// random programs are exact. Returns nothing, with the reason in `*why`, if a symbol is missing or a size is impossible.
std::optional<run::Arguments> inputsFor(const ir::SDFG &graph, const Sizes &sizes, uint64_t seed, std::string *why);

} // namespace sdfgc::random
