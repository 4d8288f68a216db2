// The times that estimates for devices assume.
#pragma once

namespace sdfgc::transforms {

/// What estimates assume of machines, in nanoseconds.
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
    /// An iteration of a loop that one thread runs: a load from the second-level cache, which later ones do not wait for, but the
    /// next operation does.
    double threadStep = 150;
    /// An operation of a thread that depends on the one before, such as the next addition of a sum.
    double chained = 8;
};

} // namespace sdfgc::transforms
