// Where the items run that differentiation makes, in a program whose graph is one of the device already: arrays in GPU_Global, maps over
// the device.
#pragma once

#include "Transforms/Differentiate/Maker.h"

namespace sdfgc::transforms::gradient {

/// Lets items at the top of a run, which are made for the host, run where memory is that they touch: maps, tasklets and reductions that
/// write memory of the device become kernels. What such an item uses on the other side is copied before, as a whole, and what it writes
/// there is copied back: the gradient of a scalar of the host that a kernel reads. Nothing changes where the SDFG itself runs in a kernel.
void runOnDevice(nest::Run &run, Maker &maker);

} // namespace sdfgc::transforms::gradient
