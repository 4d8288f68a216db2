// Makes loops that all inner maps of a map have in common its parameters:
//
//     map[i = 0:N] {                                        map[i = 0:N, j = 0:M] {
//         map[j = 0:M] { B[i, j] = 0 }                          B[i, j] = 0
//         map[k = 0:K, j = 0:M] { B[i, j] += A[i, k, j] }  ->   map[k = 0:K] { B[i, j] += A[i, k, j] }
//     }                                                     }
#pragma once

#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

/// Does so as often as possible: as long as threads can share an iteration of the map (BlockRows.h), nothing is combined,
/// and all lane loops have the same range, which neither the map's parameters nor other loops change. Returns whether anything
/// changed.
bool spreadLanes(nest::Map &rows, const nest::Conflicts &items, const ir::SDFG &g, bool anyOrder);

} // namespace sdfgc::transforms
