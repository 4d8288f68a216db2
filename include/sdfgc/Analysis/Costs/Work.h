// How much a map computes: an estimate in terms of symbols that are known at its entry.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

#include <optional>

namespace sdfgc::analysis {

/// Returns the number of elementary operations of all iterations of a map. An addition, or a load or store of one
/// element, counts 1, a division 8, a mathematical function 32 (py::operations). Inner ranges that depend on the map's
/// parameters use the middle of those. Code beside an inner map or nested SDFG with a symbolic amount of work does not
/// count.
///
/// Symbols in the result have the same value at the map's entry as everywhere inside. Returns nothing if the work is
/// unknown: ranges that depend on data, C++ tasklets, consume scopes, library nodes, unknown functions. In a nested SDFG
/// with control flow, a conditional block counts as its tests of elements and the mean of its arms, and a loop or map of
/// unknown length as 64 iterations. `scopes`: of the map's state.
std::optional<sym::Expr> workOf(const ir::MapEntry &m, const ScopeTree &scopes);

/// The same for a loop, as if it were in a nested SDFG with control flow.
std::optional<sym::Expr> workOf(const ir::LoopRegion &l);

/// The same for one iteration of a map's first loop, which may depend on the parameter of that loop: `2*N - 2*i` if an
/// inner map counts from i to N.
std::optional<sym::Expr> workOfIteration(const ir::MapEntry &m, const ScopeTree &scopes);

} // namespace sdfgc::analysis
