// Saves values before a map that would overwrite them while it still reads them.
#pragma once

#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

/// Can the elements that a use of `m` reads be saved before the map, and are they few compared with the map's work? The
/// use must read one element that depends on a strict subset of the first `depth` loops and on no other loop, and the
/// map must not write the container. Each loop that the element does not depend on runs as often as one that it does
/// depend on, so saving reads nothing that the map would not read. The conflict with a later write, in any iteration,
/// then no longer prevents the map from moving.
bool canBeSaved(const nest::PlacedUse &read, const nest::Map &m, std::size_t depth, const nest::Conflicts &items,
                const ir::SDFG &g);

/// Redirects such reads to new transients. Returns the maps that save the values, to be placed before the map; reads of
/// the same element share a transient. `connectors`: names that no container may have (nest::connectorsOf).
std::vector<nest::Item> saveReads(nest::Map &m, const std::vector<const nest::Use *> &reads, std::size_t depth, ir::SDFG &g,
                                  analysis::Memories &memories, const std::set<Name> &connectors);

} // namespace sdfgc::transforms
