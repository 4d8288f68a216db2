// Recognises programs that would launch many kernels of few elements each.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// What the estimate assumes of machines, in nanoseconds.
struct Costs {
    /// Measured for kernels that follow each other on a stream of an H100 (docs/user/benchmarks.md).
    double launch = 3000;
    /// An element on the host's threads: 4096 of them, which fill the first-level cache, take about as long as a launch.
    double hostElement = 0.7;
    /// An element on the device: a double read and one written, at the 4.8 TB/s of an H200's data sheet.
    double deviceElement = 16 / 4800.0;
};

/// An estimate of a program's work on the device.
struct DeviceWork {
    double launches = 0; // kernels, library calls and copies in a run of the program
    double elements = 0; // processed by all launches together
    /// The nanoseconds of a run; on the device without copies of arguments.
    double onHost(const Costs &c = {}) const { return elements * c.hostElement; }
    double onDevice(const Costs &c = {}) const { return launches * c.launch + elements * c.deviceElement; }
    /// Is the device slower than the host, whose threads can process the elements of a launch before it starts?
    bool isNotWorthwhile() const;
};

/// Estimates the work of a CPU program. Sizes that host loops count to are assumed to be 1000, or a million if no loop
/// does; ranges that cannot be computed are a million, too. If two nested loops count to the same size, all sizes are
/// 1000. Loops that are not counted run 1000 times, and branches are always taken.
DeviceWork estimateDeviceWork(ir::SDFG &root);

/// `650 ns`, `3.1 ms`, `over a day`
std::string durationText(double nanoseconds);

} // namespace sdfgc::transforms
