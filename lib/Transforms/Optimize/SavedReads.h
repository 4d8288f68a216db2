// Values that a map reads before others overwrite them, saved in front of it.
#pragma once

#include "Transforms/Optimize/NestItems.h"

namespace sdfgc::transforms {

/// Can what a use of `m` reads be saved in front of the map, and is that little beside what the map does? The use reads one element,
/// fewer of the first `depth` loops say which than there are, no other loop does, and nothing in the map writes the container. Each
/// loop that says nothing runs as often as one that does, so that nothing is read that the map would not read. Then the conflict
/// with what is written after the read, in any iteration, need not keep the map where it is.
bool canBeSaved(const AlignedUse &read, const nest::Map &m, std::size_t depth, const NestItems &items, const ir::SDFG &g);

/// Takes such reads to new transients. Returns the maps that save them, which belong in front of the map; reads of one element share one.
/// `connectors`: names that no container may have (nest::connectorsOf).
std::vector<nest::Item> saveReads(nest::Map &m, const std::vector<const nest::Use *> &reads, std::size_t depth, ir::SDFG &g,
                                  analysis::Memories &memories, const std::set<Name> &connectors);

} // namespace sdfgc::transforms
