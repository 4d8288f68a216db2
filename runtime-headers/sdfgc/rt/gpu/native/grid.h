// gpu_grid.h's barrier by the vendor's cooperative groups.
#pragma once

#include "sdfgc/rt/gpu.h"

#include SDFGC_GRID_HEADER

namespace sdfgc::gpu {

SDFGC_DEVICE inline void gridSync() { cooperative_groups::this_grid().sync(); }

} // namespace sdfgc::gpu
