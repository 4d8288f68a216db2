// Maps taken apart and put together: a map with several parameters is a nest of maps, and the other way round.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Moves the parameters `dims` (ascending positions, not all of them) of a map to a new map directly inside of it, and everything
/// that was inside into that; returns its entry, which has the given schedule and nothing else that belongs to a schedule. Ranges
/// of the parameters that stay must not depend on those that move. Ids are to be renumbered.
ir::MapEntry *splitMap(ir::MapEntry &m, const std::vector<std::size_t> &dims, ir::Schedule schedule);

/// The parameters of `inner`, the only node in the scope of `outer`, become further parameters of `outer`, whose content is
/// then what `inner` held. `inner` and its exit stay behind without content, for the caller to remove (State::removeNodes takes
/// many). No parameter may have the name of another one, and `inner` no range that is read at run time.
void mergeMaps(ir::MapEntry &outer, ir::MapEntry &inner);

/// Does the graph, or a pass before, say how threads share a map (`omp_num_threads`, `omp_schedule`, `omp_chunk_size`, `collapse`)?
bool saysHowShared(const ir::MapEntry &m);

/// The first container of a program of which each thread has a part (CPU_ThreadLocal); empty: there is none. A thread goes on with what
/// it left there in the map before, so that each map must hand it the same iterations.
Name threadLocalMemory(ir::SDFG &root);

} // namespace sdfgc::transforms
