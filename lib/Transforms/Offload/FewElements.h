// Programs that would launch many kernels of few elements each.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// What a program would do on the device: an estimate.
struct DeviceWork {
    double launches = 0; // of kernels, library calls and copies in a run of the program
    double elements = 0; // that all of them go through, together
    /// Is a device slower than the host, whose threads have gone through the elements of a launch when it begins?
    bool isNotWorthwhile() const;
};

/// The estimate of a program for the CPU. Sizes that loops of the host count to are taken for 1000, others for a million, as are ranges that
/// cannot be computed; for 1000 as well where two loops in each other count to one size. Loops that are not counted run 1000 times,
/// branches always.
DeviceWork estimateDeviceWork(ir::SDFG &root);

} // namespace sdfgc::transforms
