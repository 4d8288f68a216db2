// Two accesses as a system: unknowns for the iterations of both, rows for what their loops say, and an equation for each dimension in
// which they meet.
#pragma once

#include "Analysis/Dependences/Unknowns.h"

#include "sdfgc/Analysis/Dependences/Dependences.h"

namespace sdfgc::analysis::dependences {

/// The step of a range.
struct Step {
    int sign = 0;     // 0: not known
    int64_t size = 0; // 0: symbolic

    Step(const sym::Range &r, const sym::Assumptions &facts);
    int64_t signedSize() const { return sign * size; }
};

/// A loop around both accesses. Its unknowns count upwards in the order in which it runs.
struct CommonLoop {
    Column distance;     // b's iteration minus a's
    sym::Expr unit = 1;  // how much it is from one iteration to the next, where they are not counted but told by their values
    bool ordered = true; // false: the sign of the step is not known, so that neither is which iteration comes first
};

class Pair {
public:
    /// The loops of both. Refers to its arguments.
    Pair(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts);

    /// Adds that both touch the same element, one dimension after another.
    void meet();

    Unknowns &unknowns() { return unknowns_; }
    const std::vector<CommonLoop> &common() const { return common_; }
    const Scope &scopeOfA() const { return scopeA_; }

    /// The index in one dimension of an element that `r` touches in `at`; unknowns for what is free in it are added.
    Polynomial element(const sym::Range &r, const Scope &at);

private:
    void addCommon(const LoopLevel &loopA, const LoopLevel &loopB);
    void addValues(const sym::Range &r, const Scope &at, const Form &value);
    Form length(const sym::Range &r, const Step &step, const Scope &at);
    Form ownValue(const LoopLevel &loop, const Scope &at);

    const AccessInstance &a_, &b_;
    Unknowns unknowns_;
    Scope scopeA_, scopeB_;
    std::vector<CommonLoop> common_;
};

/// Divides an equation by its strides: N * i + j = N * k + l, where 0 <= j, l < N, is i = k and j = l, so that a flattened array is
/// a matrix again. What is left has integer coefficients; an equation of which that cannot be made is left out, which the unknowns
/// note.
std::vector<Form> divided(const Polynomial &equation, Unknowns &unknowns);

} // namespace sdfgc::analysis::dependences
