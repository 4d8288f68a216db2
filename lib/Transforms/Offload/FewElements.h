// Recognises programs that would launch many kernels of few elements each.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// An estimate of a program's work on the device.
struct DeviceWork {
    double launches = 0; // kernels, library calls and copies in a run of the program
    double elements = 0; // processed by all launches together
    /// Is the device slower than the host, whose threads can process the elements of a launch before it starts?
    bool isNotWorthwhile() const;
};

/// Estimates the work of a CPU program. Sizes that host loops count to are assumed to be 1000, or a million if no loop
/// does; ranges that cannot be computed are a million, too. If two nested loops count to the same size, all sizes are
/// 1000. Loops that are not counted run 1000 times, and branches are always taken.
DeviceWork estimateDeviceWork(ir::SDFG &root);

} // namespace sdfgc::transforms
