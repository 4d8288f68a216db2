// Decides where generated items run if the program's graph already uses the device: arrays in GPU_Global, maps over the
// device.
#pragma once

#include "Transforms/Differentiate/Maker.h"

namespace sdfgc::transforms::gradient {

/// Moves items at the top of a run, which are created for the host, to the memory that they access: maps, tasklets and
/// reductions that write device memory become kernels. Containers that such an item reads on the other side are copied
/// before it, entirely, and those that it writes there are copied back, for example the gradient of a host scalar that
/// a kernel reads. Does nothing if the SDFG itself runs in a kernel.
void runOnDevice(nest::Run &run, Maker &maker);

} // namespace sdfgc::transforms::gradient
