// The kernels of tile-time.
#pragma once

#include "Transforms/Offload/TimeTiles.h"

namespace sdfgc::transforms {

/// Returns two kernels, each of which advances all tiles by several steps: the first one from the arrays of the loop to arrays of
/// their own, which it adds to the SDFG, and the second one back. The loop must count by as many steps as both execute; if fewer
/// are left, the kernels execute these, and the second one may only copy.
std::vector<nest::Item> tileKernels(const TimeLoop &loop, const TileShape &shape, const analysis::LoopHeader &header, ir::SDFG &g,
                                    analysis::Memories &memories);

} // namespace sdfgc::transforms
