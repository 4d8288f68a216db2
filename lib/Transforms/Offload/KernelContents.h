// What maps and containers inside of kernels become.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Gives the contents of the kernels of an SDFG, and of those that the host calls, the schedules and storages of one thread: nothing
/// is parallel or on the host's heap.
void makeKernelsSequential(ir::SDFG &g);

} // namespace sdfgc::transforms
