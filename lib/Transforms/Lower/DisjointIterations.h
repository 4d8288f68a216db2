// Do different iterations of scopes touch different elements?
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <set>
#include <vector>

namespace sdfgc::transforms {

/// A parameter that a subset may depend on, with the values that it takes.
struct IterationParameter {
    Name name;
    sym::Range range;
    bool parallel = false; // iterations may run at the same time
};

/// Is every element of `s` touched in at most one value of all parallel parameters? Conservative.
///
/// A parameter is settled by a dimension `a * p + rest` when `rest` varies by less than |a| * step over everything not yet settled:
/// equal elements then mean equal values of `p`. Settled parameters are constants for the others, so `32 * i + j` with j < 32
/// settles i, then j. Names in `varying` may differ between iterations in unknown ways; nothing is concluded from what depends on
/// them.
bool areIterationsDisjoint(const sym::Subset &s, const std::vector<IterationParameter> &parameters, const std::set<Name> &varying,
                           const sym::Assumptions &facts);

/// Is `a` of one iteration apart from `b` of every other one? Both in terms of `parameters`, those of one scope; iterations that
/// differ in parallel parameters are different ones. Conservative.
///
/// For each parallel parameter p the iterations with p + d and p - d for positive d are compared, whatever the other parameters are
/// in them: row `[i, i:N]` and column `[i:N, i]` are apart, as i + d is more than i, and i - d less.
bool areIterationsApart(const sym::Subset &a, const sym::Subset &b, const std::vector<IterationParameter> &parameters,
                        const std::set<Name> &varying, const sym::Assumptions &facts);

} // namespace sdfgc::transforms
