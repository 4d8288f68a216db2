// Splits and merges maps: a map with several parameters is equivalent to a nest of maps.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Moves the parameters `dims` of a map (ascending positions, not all of them) to a new map directly inside it,
/// together with the map's contents. Returns the new entry, which has the given schedule and no other scheduling
/// properties. Ranges of the remaining parameters must not depend on the moved ones. The caller renumbers ids.
ir::MapEntry *splitMap(ir::MapEntry &m, const std::vector<std::size_t> &dims, ir::Schedule schedule);

/// Appends the parameters of `inner`, the only node in the scope of `outer`, to those of `outer`, and moves the
/// contents of `inner` into it. `inner` and its exit stay in the state, empty, for the caller to remove
/// (State::removeNodes takes several nodes). Parameter names must differ, and `inner` must have no range that is read
/// at run time.
void mergeMaps(ir::MapEntry &outer, ir::MapEntry &inner);

/// Does the graph, or an earlier pass, specify how threads share a map (`omp_num_threads`, `omp_schedule`,
/// `omp_chunk_size`, `collapse`)?
bool saysHowShared(const ir::MapEntry &m);

/// Returns a container of the program that is private to each thread (CPU_ThreadLocal), or an empty name if there is
/// none. A thread continues with what the previous map left in it, so every map must give it the same iterations.
Name threadLocalMemory(ir::SDFG &root);

} // namespace sdfgc::transforms
