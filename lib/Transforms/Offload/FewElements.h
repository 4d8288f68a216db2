// Recognises programs that would launch many kernels of few elements each.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <map>
#include <string>

namespace sdfgc::transforms {

/// What the estimate assumes of machines, in nanoseconds.
struct Costs {
    /// Measured for kernels that follow each other on a stream of an H100 (docs/user/benchmarks.md).
    double launch = 3000;
    /// An element on the host's threads: 4096 of them, which fill the first-level cache, take about as long as a launch.
    double hostElement = 0.7;
    /// An element on the device: a double read and one written, at the 4.8 TB/s of an H200's data sheet.
    double deviceElement = 16 / 4800.0;
    /// A step of a kernel of one block: barriers, a load from the second-level cache, operations that depend on it and on each other,
    /// and a store.
    double step = 1000;
    /// An element in a kernel of one block: a multiprocessor reads 64 bytes per cycle from the second-level cache.
    double blockElement = 16 / 100.0;
    /// A step of a kernel of many blocks: a barrier of the grid.
    double gridStep = 2000;
    /// An operation of a thread that depends on the one before, such as the next addition of a sum.
    double chained = 8;
};

/// What a kernel that runs loops of the host consists of: one block, whose steps are short, or as many as the device runs at once.
enum class KernelBlocks : uint8_t { One, Many };

/// An estimate of a program's work on the device.
struct DeviceWork {
    double launches = 0;                     // kernels, library calls and copies in a run of the program
    double elements = 0;                     // processed by all launches together
    double largest = 0;                      // elements of one of them, at most
    double chains = 0;                       // operations that depend on each other: of a thread of each launch
    double steps = 0;                        // operations in kernels that run loops, which would otherwise be launches
    double stepElements = 0, stepChains = 0; // those of `elements` and `chains` that belong to steps
    double inSteps = 0;                      // the nanoseconds of these kernels, without their launches
    /// The nanoseconds of a run; on the device without copies of arguments.
    double onHost(const Costs &c = {}) const { return elements * c.hostElement; }
    double onDevice(const Costs &c = {}) const;
    /// Is the device slower than the host, whose threads can process the elements of a launch before it starts?
    bool isNotWorthwhile() const;
    /// The same work in a kernel.
    DeviceWork inKernel(KernelBlocks blocks, const Costs &c = {}) const;
    DeviceWork inBlock() const { return inKernel(KernelBlocks::One); }
    /// Would that be faster? By at least a third of the time of the launches; for a kernel of many blocks, which waits two thirds of
    /// that time itself, by a quarter, and no launch must have elements that take longer than a launch.
    bool isFasterIn(KernelBlocks blocks) const;
    bool isFasterInBlock() const { return isFasterIn(KernelBlocks::One); }
    void add(const DeviceWork &w, double times = 1);
};

/// The host loops that should be kernels. The estimate asks for those that may be (KernelLoops.h), and records the work of one execution
/// of each block. Only for lookups: the order of the elements varies.
struct LoopChoice {
    std::function<bool(ir::LoopRegion &, KernelBlocks)> mayBeKernel;
    std::map<const ir::LoopRegion *, KernelBlocks> kernels = {}; // loops inside of these may be there as well
    std::map<const ir::Block *, DeviceWork> work = {};
};

/// Estimates the work of a CPU program, or of one that was moved. Sizes that host loops count to are assumed to be 1000, or a
/// million if no loop does; ranges that cannot be computed are a million, too. If two nested loops count to the same size, all
/// sizes are 1000. Loops that are not counted run 1000 times, and branches are always taken. Without `loops`, the host runs
/// all loops.
DeviceWork estimateDeviceWork(ir::SDFG &root, LoopChoice *loops = nullptr);

/// `650 ns`, `3.1 ms`, `over a day`
std::string durationText(double nanoseconds);

} // namespace sdfgc::transforms
