// Do different iterations of scopes access different elements?
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"

#include <set>
#include <vector>

namespace sdfgc::analysis {

/// A parameter that a subset may depend on, with its values, in ascending order unless they are known to descend.
struct IterationParameter : LoopLevel {
    bool parallel = false; // iterations may run concurrently
};

/// Is `a` in one iteration disjoint from `b` in every other one? Iterations count as different if they differ in
/// parallel parameters. Conservative.
///
/// `parameters`: outermost first, since a range may depend on earlier ones. Names in `varying` may differ between
/// iterations in unknown ways.
bool areIterationsApart(const sym::Subset &a, const sym::Subset &b, const std::vector<IterationParameter> &parameters,
                        const std::set<Name> &varying, const sym::Assumptions &facts);

/// Is every element of `s` accessed for at most one combination of the parallel parameters? Conservative.
inline bool areIterationsDisjoint(const sym::Subset &s, const std::vector<IterationParameter> &parameters,
                                  const std::set<Name> &varying, const sym::Assumptions &facts) {
    return areIterationsApart(s, s, parameters, varying, facts);
}

} // namespace sdfgc::analysis
