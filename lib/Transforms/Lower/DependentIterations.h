// Does one iteration of a map use what another one writes?
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Sdfg.h"

#include <optional>
#include <set>
#include <vector>

namespace sdfgc::transforms {

/// Adds to `varying` the symbols that are read anew in each iteration of `scope`: dynamic ranges of the scopes inside of it.
/// `around`: scopes around some node, innermost first.
void addDynamicRanges(const std::vector<ir::Node *> &around, const ir::Node *scope, std::set<Name> &varying);

/// All that one iteration of `map` touches by an access to `touched` (of a container with the full subset `whole`) below `around`: over the maps
/// between the access and `map`. Nothing when another kind of scope is in between, or `map` is not around it.
std::optional<sym::Subset> touchedByIteration(const ir::MapEntry &map, sym::Subset touched, const std::vector<ir::Node *> &around,
                                              const sym::Subset &whole, const sym::Assumptions &facts);

/// A container of which an iteration of the map may touch what another one writes, so that their order matters; empty if there is
/// none. Updates of one kind with conflict resolution may come in any order. Conservative: views, indirect and dynamic accesses
/// count as all of the container.
Name sharedByIterations(const ir::MapEntry &map, const analysis::ScopeTree &scopes);

} // namespace sdfgc::transforms
