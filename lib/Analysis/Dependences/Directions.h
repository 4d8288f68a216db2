// Finds the directions and distances of a pair by search.
#pragma once

#include "Analysis/Dependences/Pair.h"

namespace sdfgc::analysis::dependences {

/// The conflict for which the system of `pair` has solutions; nothing if it has none.
std::optional<Conflict> conflictIn(Pair &pair);

/// A conflict with these vectors: its levels are their union.
Conflict conflictOf(std::vector<std::vector<Directions>> vectors, std::size_t levels);

} // namespace sdfgc::analysis::dependences
