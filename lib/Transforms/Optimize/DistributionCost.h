// What parts of a loop cost one thread, for distribute-loops.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <cstdint>

namespace sdfgc::transforms {

/// The steps of one loop body, weighed. Costs are quarters of a cycle for an iteration, of a processor that reads 4 bytes a cycle from memory
/// and makes vectors of 4 elements: an estimate for arrays that no cache holds. Refers to its arguments.
class DistributionCost {
public:
    /// `variables`: containers private to the iteration, which cost no memory traffic.
    DistributionCost(const std::vector<nest::Item> &body, analysis::LoopLevel loop, const ir::SDFG &g,
                     const std::set<Name> &variables);

    /// The cost of one loop over a subset of the steps (bit k: step k of the body): the longest of its memory traffic, its operations and,
    /// if it is `ordered`, the chain of values from one iteration to the next. Only unordered iterations are vectorised and distributed over
    /// threads.
    int64_t of(uint64_t steps, bool ordered, int64_t threads) const;

private:
    /// Elements of a container that successive iterations access.
    struct Stream {
        Name data;
        std::optional<sym::Subset> subset;
        bool written = false;
        int64_t bytes = 0; // that one iteration moves, once
    };
    struct Weight {
        std::vector<Stream> streams;
        int64_t operations = 0;
    };
    void addStep(const nest::Step &step, const std::vector<analysis::LoopLevel> &loops, Weight &to) const;
    void addItem(const nest::Item &item, std::vector<analysis::LoopLevel> &loops, Weight &to) const;
    int64_t bytesOf(const nest::Use &use, const std::vector<analysis::LoopLevel> &loops) const;

    const ir::SDFG &g_;
    const std::set<Name> &variables_;
    std::vector<Weight> weights_;
};

} // namespace sdfgc::transforms
