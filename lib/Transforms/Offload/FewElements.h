// Recognises programs that would launch many kernels of few elements each.
#pragma once

#include "Transforms/Edits/DeviceCosts.h"

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace sdfgc::transforms {

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
    double threadSteps = 0;                  // operations in loops of one thread of these kernels
    /// The nanoseconds of a run; on the device without copies of arguments.
    double onHost(const Costs &c = {}) const { return elements * c.hostElement; }
    double onDevice(const Costs &c = {}) const;
    /// Is the device slower than the host, whose threads can process the elements of a launch before it starts?
    bool isNotWorthwhile() const;
    /// The same work in a kernel.
    DeviceWork inKernel(KernelBlocks blocks, const Costs &c = {}) const;
    DeviceWork inBlock() const { return inKernel(KernelBlocks::One); }
    /// The same work in one thread of such a kernel, as one of its steps.
    DeviceWork inThread() const;
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
    std::set<const ir::LoopRegion *> manyIfSquare = {};          // those for which many blocks are best if arrays are square
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
