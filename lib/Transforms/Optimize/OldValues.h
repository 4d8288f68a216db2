// Reads of a loop that see the values from before it, because whatever they read, only later iterations overwrite:
//
//     for i = 0; i < N; i = i + 1 {                                  map[i = 0:N, j = 0:N] { B_old[i, j] = B[i, j] }
//         map[j = 0:M] {                                       ->    map[i = 0:N, j = 0:M] {
//             map[k = i + 1:N] { B[i, j] += A[k, i] * B[k, j] }          map[k = i + 1:N] { B[i, j] += A[k, i] * B_old[k, j] }
//         }                                                          }
//     }
//
// If nothing else orders the iterations, a copy of the array makes them independent.
#pragma once

#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

/// Returns those reads that see old values, and would order iterations of the first loop otherwise. `uses`: all accesses of the body
/// of a loop that counts up; the loop comes first. Only reads of single elements of arrays by tasklets count, and only if there are
/// so many of them that a copy of the array costs little in comparison.
std::set<const nest::Use *> readsOfOldValues(const std::vector<nest::PlacedUse> &uses, const nest::Conflicts &items,
                                             const ir::SDFG &g);

/// Lets such reads of a map's steps read copies, and returns the maps that make them, one for each array. `connectors`: names that
/// no container may have (nest::connectorsOf).
std::vector<nest::Item> copyOldValues(nest::Map &m, const std::set<const nest::Use *> &reads, ir::SDFG &g,
                                      analysis::Memories &memories, const std::set<Name> &connectors);

} // namespace sdfgc::transforms
