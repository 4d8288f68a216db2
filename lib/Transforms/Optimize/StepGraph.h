// The dependences between the steps of a loop's body, for distribute-loops.
#pragma once

#include "sdfgc/Nest/LoopItems.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace sdfgc::transforms {

using Steps = uint64_t; // a set of steps, by number: at most 64

inline Steps only(std::size_t step) { return Steps(1) << step; }
inline bool has(Steps s, std::size_t step) { return (s >> step) & 1; }

/// The operations of the tasklets of a step, as far as they are known.
int64_t operationsOf(const nest::Step &s);

/// The dependences between the steps of a body.
class StepGraph {
public:
    /// `loop`: the loop as a level around the body, which `region` holds. Keeps references to `body` and `items`. With `stored`,
    /// arrays may hold the values of variables for all iterations; steps with at least as many operations are not duplicated.
    StepGraph(const std::vector<nest::Item> &body, analysis::LoopLevel loop, const ir::LoopRegion &region,
              const nest::Conflicts &items, const nest::LoopItems &loops, std::optional<int64_t> stored = std::nullopt);

    /// The containers private to an iteration, at the top of the body.
    const std::set<Name> &variables() const { return variables_; }
    /// Those with one element that an array may hold for all iterations.
    const std::set<Name> &storedVariables() const { return storedVariables_; }
    /// The steps that can be duplicated wherever their variable is used.
    Steps copied() const { return copied_; }
    /// The duplicated steps that a set of steps needs.
    Steps neededBy(Steps group) const;

    /// Do two steps depend on each other?
    bool onCycle(std::size_t a, std::size_t b) const { return a == b || (has(reached_[a], b) && has(reached_[b], a)); }
    /// Must a step of `b` follow a step of `a`?
    bool follows(Steps b, Steps a) const {
        return any(a, [&](std::size_t k) { return (reached_[k] & b) != 0; });
    }
    /// Is a value passed from a step of `a` in one iteration to a step of `b` in a later one?
    bool carries(Steps a, Steps b) const {
        return any(a, [&](std::size_t k) { return (carried_[k] & b) != 0; });
    }

private:
    template <class F> static bool any(Steps s, const F &holds) {
        for (; s; s &= s - 1)
            if (holds(static_cast<std::size_t>(std::countr_zero(s))))
                return true;
        return false;
    }
    bool reads(Steps s, Name variable) const;
    void findVariables(const ir::LoopRegion &region, const nest::LoopItems &loops);
    bool isCopied(std::size_t k) const;
    bool maybeStored(Name variable, const ir::SDFG &g) const;
    void connect(std::size_t a, std::size_t b);
    void close();

    const std::vector<nest::Item> &body_;
    const nest::Conflicts &items_;
    std::vector<std::vector<nest::PlacedUse>> uses_;
    std::set<Name> inner_;     // what maps in the body have for themselves
    std::set<Name> variables_; // what iterations have for themselves
    std::set<Name> storedVariables_;
    const std::optional<int64_t> stored_;
    Steps copied_ = 0;
    std::vector<Steps> after_, carried_, reached_; // for each step: those that must follow it
};

/// Steps that stay together.
struct Group {
    Steps steps = 0;
    bool ordered = false; // iterations depend on each other
};

/// Returns the smallest number of groups, in an order in which they can run.
std::vector<Group> groupsOf(const StepGraph &graph, std::size_t count);

} // namespace sdfgc::transforms
