// Where the items run that differentiation makes, in a program whose graph is one of the device already: arrays in GPU_Global, maps over
// the device.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

/// Lets items at the top of a run, which are made for the host, run where memory is that they touch: maps, tasklets and reductions that
/// write memory of the device become kernels. What such an item reads on the other side is copied before, as a whole. Nothing changes
/// where the SDFG itself runs in a kernel. Reports SD4710 for an item that would have to write on both sides.
void runOnDevice(nest::Run &run, Maker &maker, pass::Context &context);

} // namespace sdfgc::transforms::gradient
