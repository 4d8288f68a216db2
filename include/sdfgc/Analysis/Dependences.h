// Dependences: can two accesses of one container touch the same element, and in which order of iterations?
//
// Two accesses conflict when they can touch one element and one of them writes. A transformation that reorders iterations is legal
// when every conflict keeps its direction, so this is what all transformations of loops ask. The answer is conservative: a conflict
// that cannot be excluded is there, in every direction that cannot be excluded.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sdfgc::analysis {

/// One loop around an access: its variable, and the values that it takes (ends inclusive; the step is not zero, and may be
/// negative). Bounds may use the variables of loops around it.
struct LoopLevel {
    Name variable;
    sym::Range range;
    friend bool operator==(const LoopLevel &, const LoopLevel &) = default;
};

/// An access of a container: the elements that one iteration touches, in terms of its loops, outermost first, and of symbols that
/// have one value throughout. A subset that is not known (indirect, through a pointer) is given as nothing: any element.
struct AccessInstance {
    std::optional<sym::Subset> subset;
    std::vector<LoopLevel> loops;
};

/// Which iterations of a common loop can conflict: that of `b` minus that of `a`, in the order in which the loop runs. Iterations of a
/// loop whose begin changes from one outer iteration to the next are told by the values of the variable, not by counting.
struct Directions {
    bool less = false;    // a's iteration comes later than b's: the distance is negative
    bool equal = false;   // both in one iteration
    bool greater = false; // a's iteration comes first: the distance is positive
    static Directions any() { return {true, true, true}; }
    bool none() const { return !less && !equal && !greater; }
    friend bool operator==(const Directions &, const Directions &) = default;
};

/// The conflict of two accesses.
struct Conflict {
    std::vector<Directions> levels;                  // of the common loops, outermost first
    std::vector<std::vector<Directions>> vectors;    // the direction vectors: each is of one of these; `levels` is their union
    std::vector<std::optional<sym::Expr>> distances; // in steps of the loop: b's iteration minus a's, where it is always the same
    bool exact = false;                              // each direction of each level does happen, for some values of symbols
    std::string why; // where the test gave up: "idx[i] is not affine"; empty if it did not, or if no index was the reason
};

/// The conflict of `a` and `b`, whose first `common` loops are the same loops: same variables, same ranges, and `a` and `b` may be
/// in different iterations of them. Deeper loops are each access's own, whatever their names. `facts`: what is known of the other
/// symbols; one that has other values in b's iteration than in a's must have another name in `b`, also in the ranges of common loops.
/// Nothing if the accesses never touch the same element. Both must be of one container, in the same coordinates (ranks may
/// differ where a subset is damaged: then any element).
std::optional<Conflict> conflictOf(const AccessInstance &a, const AccessInstance &b, std::size_t common,
                                   const sym::Assumptions &facts);

/// Can the conflict happen between iterations that agree in the first `level` common loops, and differ in the loop `level`: is it
/// carried by that loop?
bool isCarriedBy(const Conflict &c, std::size_t level);

/// Only between accesses of one and the same iteration of all common loops?
bool isWithinIteration(const Conflict &c);

/// Does an element that `a` touches in an iteration of the common loops belong to what `b` touches in the same one, for all
/// iterations? (P2 of the rules in docs/user/optimiser.md, where `a` is the read and `b` the write.) Conservative: false if unknown.
bool isCovered(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts);

} // namespace sdfgc::analysis
