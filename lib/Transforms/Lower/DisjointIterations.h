// Do different iterations of scopes touch different elements?
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <set>
#include <vector>

namespace sdfgc::transforms {

/// A parameter that a subset may depend on, with the values that it takes: forwards, if it is not known that it is backwards.
struct IterationParameter {
    Name name;
    sym::Range range;
    bool parallel = false; // iterations may run at the same time
};

/// Is `a` of one iteration apart from `b` of every other one? Iterations that differ in parallel parameters are different ones.
/// Conservative.
///
/// `parameters`: outermost first, as a range may depend on those before it. Names in `varying` may differ between iterations in
/// unknown ways.
bool areIterationsApart(const sym::Subset &a, const sym::Subset &b, const std::vector<IterationParameter> &parameters,
                        const std::set<Name> &varying, const sym::Assumptions &facts);

/// Is every element of `s` touched in at most one value of all parallel parameters? Conservative.
inline bool areIterationsDisjoint(const sym::Subset &s, const std::vector<IterationParameter> &parameters,
                                  const std::set<Name> &varying, const sym::Assumptions &facts) {
    return areIterationsApart(s, s, parameters, varying, facts);
}

} // namespace sdfgc::transforms
