// How much a map computes: an estimate in symbols that are known where it begins.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

#include <optional>

namespace sdfgc::analysis {

/// Elementary operations that all iterations of a map take together: an addition, or a load or store of one element, counts 1, a
/// division 8, a mathematical function 32 (py::operations). Ranges inside that depend on the map's own parameters count with the
/// middle of those, and what stands beside an inner map or nested SDFG with a symbolic amount of work does not count.
///
/// Symbols of the result have the same value at the map's entry as everywhere inside of it. Nothing when it cannot be told: ranges
/// that depend on data, loops, conditional blocks, C++ tasklets, consume scopes, library nodes, unknown functions. `scopes`: of the
/// map's state.
std::optional<sym::Expr> workOf(const ir::MapEntry &m, const ScopeTree &scopes);

/// The same of one iteration of a map's first loop, in the parameter of that loop as well: `2*N - 2*i` where a map inside counts from i to N.
std::optional<sym::Expr> workOfIteration(const ir::MapEntry &m, const ScopeTree &scopes);

} // namespace sdfgc::analysis
