// Dependences: can two accesses of a container touch the same element, and in which order of iterations?
//
// Two accesses conflict if they can touch the same element and one of them writes it. A transformation that reorders
// iterations is legal if every conflict keeps its direction, so all loop transformations ask this question. The answer
// is conservative: it includes every conflict, and every direction, that cannot be excluded.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sdfgc::analysis {

/// One loop around an access: its variable and the values that it takes (both ends inclusive; the step is nonzero and
/// may be negative). Bounds may depend on variables of outer loops.
struct LoopLevel {
    Name variable;
    sym::Range range;
    friend bool operator==(const LoopLevel &, const LoopLevel &) = default;
};
/// Adds the loops of a map, of the graph or of the nest form.
template <class Map> void addLoops(std::vector<LoopLevel> &around, const Map &m) {
    for (std::size_t d = 0; d < m.params.size(); ++d)
        around.push_back({m.params[d], m.ranges[d]});
}

/// An access of a container: the elements that one iteration touches, in terms of its loops, outermost first, and of
/// symbols with a constant value. An unknown subset (indirect, through a pointer) is represented as nothing, which
/// means any element.
struct AccessInstance {
    std::optional<sym::Subset> subset;
    std::vector<LoopLevel> loops;
    /// Returns it with other expressions for symbols.
    AccessInstance substituted(const std::map<Name, sym::Expr> &meaning) const;
};

/// The iterations of a common loop that can conflict, as the sign of b's iteration minus a's, in the order in which the
/// loop runs. If the start of a loop depends on the outer iteration, iterations are identified by the value of the
/// variable, not by counting.
struct Directions {
    bool less = false;    // a's iteration is later than b's: the distance is negative
    bool equal = false;   // both in the same iteration
    bool greater = false; // a's iteration is earlier: the distance is positive
    static Directions any() { return {true, true, true}; }
    bool none() const { return !less && !equal && !greater; }
    friend bool operator==(const Directions &, const Directions &) = default;
};

/// The conflict of two accesses.
struct Conflict {
    std::vector<Directions> levels;                  // of the common loops, outermost first
    std::vector<std::vector<Directions>> vectors;    // the direction vectors, one of which applies to each conflict; `levels` is
                                                     // their union
    std::vector<std::optional<sym::Expr>> distances; // in steps of the loop: b's iteration minus a's, if constant
    bool exact = false;                              // each direction of each level occurs for some values of the symbols
    std::string why; // why the test gave up: "idx[i] is not affine"; empty if it did not, or if an index was not the reason
    /// Adds the conflict of two other accesses in the same common loops.
    void add(const Conflict &other);
};

/// Returns the conflict of `a` and `b`. Their first `common` loops are the same loops, with the same variables and
/// ranges; `a` and `b` may be in different iterations of them. Deeper loops are separate, whatever their names.
/// `facts`: what is known about other symbols. A symbol whose value differs between a's iteration and b's must have a
/// different name in `b`, also in the ranges of common loops. Returns nothing if the accesses never touch the same
/// element. Both must refer to the same container, in the same coordinates (if ranks differ because a subset is
/// damaged, any element is assumed).
std::optional<Conflict> conflictOf(const AccessInstance &a, const AccessInstance &b, std::size_t common,
                                   const sym::Assumptions &facts);

/// Can the conflict occur between iterations that agree in the first `level` common loops and differ in the loop
/// `level`: does that loop carry it?
bool isCarriedBy(const Conflict &c, std::size_t level);

/// Does the conflict occur only within the same iteration of all common loops?
bool isWithinIteration(const Conflict &c);

/// In every iteration of the common loops, are all elements that `a` touches among those that `b` touches? (P2 of the
/// rules in docs/user/optimiser.md, where `a` is the read and `b` the write.) Conservative: false if unknown.
bool isCovered(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts);

/// An access that has its first `common` loops in common with another one.
struct SharedAccess {
    AccessInstance access;
    std::size_t common = 0;
};

/// Does one of `covers` touch each element that `a` touches, in the same iteration of the loops that both have in common?
/// With `writes`, elements that none of these accesses touches, in any iteration, are exempt. Conservative: false if
/// unknown.
bool isCoveredTogether(const AccessInstance &a, const std::vector<SharedAccess> &covers, const std::vector<AccessInstance> *writes,
                       const sym::Assumptions &facts);

} // namespace sdfgc::analysis
