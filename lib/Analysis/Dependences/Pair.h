// Two accesses as a system: unknowns for the iterations of both, rows for the constraints of their loops, and for each dimension an
// equation that makes the indices equal.
#pragma once

#include "Analysis/Dependences/Unknowns.h"

#include "sdfgc/Analysis/Dependences/Dependences.h"

namespace sdfgc::analysis::dependences {

/// The step of a range.
struct RangeStep {
    int sign = 0;     // 0: unknown
    int64_t size = 0; // 0: symbolic

    RangeStep(const sym::Range &r, const sym::Assumptions &facts);
    int64_t signedSize() const { return sign * size; }
};

/// A loop around both accesses. Its unknowns increase in execution order.
struct CommonLoop {
    Column distance;     // b's iteration minus a's
    sym::Expr unit = 1;  // the difference between consecutive iterations if they are represented by values rather than counted
    bool ordered = true; // false: the sign of the step is unknown, and so is the order of iterations
};

class Pair {
public:
    /// Adds the loops of both accesses. Keeps references to its arguments.
    Pair(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts);

    /// Adds the equations for both accessing the same element, one per dimension.
    void meet();

    Unknowns &unknowns() { return unknowns_; }
    const std::vector<CommonLoop> &common() const { return common_; }
    const Scope &scopeOfA() const { return scopeA_; }

    /// The index, in one dimension, of an element that `r` accesses in `at`; adds unknowns for the free parts.
    Polynomial element(const sym::Range &r, const Scope &at);

private:
    void addCommon(const LoopLevel &loopA, const LoopLevel &loopB);
    void addValues(const sym::Range &r, const Scope &at, const Form &value);
    Form length(const sym::Range &r, const RangeStep &step, const Scope &at);
    Form ownValue(const LoopLevel &loop, const Scope &at);

    const AccessInstance &a_, &b_;
    Unknowns unknowns_;
    Scope scopeA_, scopeB_;
    std::vector<CommonLoop> common_;
};

/// Divides an equation by its strides: N * i + j = N * k + l, where 0 <= j, l < N, becomes i = k and j = l, so that a flattened
/// array is treated as a matrix again. The remaining equations have integer coefficients; an equation that cannot be converted is
/// left out and recorded in the unknowns.
std::vector<Form> divided(const Polynomial &equation, Unknowns &unknowns);

} // namespace sdfgc::analysis::dependences
