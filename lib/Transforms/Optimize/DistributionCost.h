// Cost model of distribute-loops: the time that parts of a loop take.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <cstdint>

namespace sdfgc::transforms {

/// The weighted steps of one loop body. Costs are in quarter cycles per iteration, for a processor that reads 4 bytes
/// per cycle from memory and uses vectors of 4 elements. This is an estimate for arrays that do not fit into caches.
/// Keeps references to its arguments.
class DistributionCost {
public:
    /// `variables`: containers private to the iteration, which cost no memory traffic.
    DistributionCost(const std::vector<nest::Item> &body, analysis::LoopLevel loop, const ir::SDFG &g,
                     const std::set<Name> &variables);

    /// Returns the cost of a loop over a subset of the steps (bit k: step k of the body). It is the maximum of its
    /// memory traffic, its operations and, if it is `ordered`, the latency of the dependence chain between iterations.
    /// Only unordered iterations are vectorised and shared among threads. Two threads compute twice as fast as one but do
    /// not read faster: on many machines one core saturates the path to memory that it shares with a neighbour.
    int64_t of(uint64_t steps, bool ordered, int64_t threads) const;

private:
    /// Elements of a container that successive iterations access.
    struct Stream {
        Name data;
        std::optional<sym::Subset> subset;
        bool written = false;
        int64_t bytes = 0; // moved once per iteration
    };
    struct Weight {
        std::vector<Stream> streams;
        int64_t operations = 0, functions = 0; // those outside and inside of mathematical functions
    };
    void addStep(const nest::Step &step, const std::vector<analysis::LoopLevel> &loops, Weight &to) const;
    void addItem(const nest::Item &item, std::vector<analysis::LoopLevel> &loops, Weight &to) const;
    static void addNode(const ir::Node &n, int64_t times, Weight &to);
    static std::vector<std::optional<sym::Subset>> subsetsOf(const nest::Use &u);
    int64_t bytesOf(const nest::Use &use, const std::optional<sym::Subset> &subset,
                    const std::vector<analysis::LoopLevel> &loops) const;

    const ir::SDFG &g_;
    const std::set<Name> &variables_;
    std::vector<Weight> weights_;
};

} // namespace sdfgc::transforms
