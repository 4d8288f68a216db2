// Does one iteration of a map use the results of another?
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <set>
#include <vector>

namespace sdfgc::analysis {

/// Adds to `varying` the symbols that each iteration of `scope` reads anew: dynamic ranges of inner scopes. `around`:
/// scopes around a node, innermost first.
void addDynamicRanges(const std::vector<ir::Node *> &around, const ir::Node *scope, std::set<Name> &varying);

/// Returns everything that one iteration of `map` accesses by an access to `touched` (of a container with the full
/// subset `whole`) inside the scopes `around`: the union over the maps between the access and `map`. Returns nothing if
/// another kind of scope is in between, or if `map` does not contain the access.
std::optional<sym::Subset> touchedByIteration(const ir::MapEntry &map, sym::Subset touched, const std::vector<ir::Node *> &around,
                                              const sym::Subset &whole, const sym::Assumptions &facts);

/// Returns a container that makes the order of iterations matter, because one iteration may access an element that
/// another writes; an empty name if there is none. Updates with conflict resolution of one kind may come in any order.
/// Conservative: views, indirect and dynamic accesses count as accesses to the entire container.
Name sharedByIterations(const ir::MapEntry &map, const ScopeTree &scopes);

} // namespace sdfgc::analysis
