// Random pairs of accesses, and their exact dependences, found by enumerating all iterations.
#pragma once

#include "RandomNumbers.h"
#include "sdfgc/Analysis/Dependences/Dependences.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace sdfgc::test {

using Values = std::map<Name, int64_t>;

struct RandomPair {
    analysis::AccessInstance a, b;
    std::size_t common = 0;
    sym::Assumptions facts;
    std::vector<Values> sizes; // successive values of the symbols; a single empty entry if there are no symbols

    std::string str() const;
};

/// The form of a pair.
enum class Style : uint8_t {
    Constant,  // bounds 0 to 6, coefficients -3 to 3, steps -3 to 3, triangular bounds, ranges with steps and tiles
    Symbolic,  // the same with symbolic sizes
    Flattened, // N * i + j
    Divided,   // i // 2, i % 3, min(i + 2, N)
};
RandomPair randomPair(RandomNumbers &random, Style style);

using OnConflict = std::function<void(const Values &size, const std::vector<int64_t> &distance)>;
/// Calls `found` for every two iterations that access a common element, with the size and with the distances in the common loops,
/// as differences of the loop variables' values. Returns whether, in each iteration of the common loops, b accesses all elements
/// that a accesses.
bool enumerate(const RandomPair &p, const std::vector<Values> &sizes, const OnConflict &found);

/// Returns whether, in each iteration of the first `common` loops of `a`, `covers` together access all elements that `a`
/// accesses, other than those that none of `exempt` accesses in any iteration. No cover has more loops in common with `a`.
bool enumerateCovers(const analysis::AccessInstance &a, std::size_t common, const std::vector<analysis::SharedAccess> &covers,
                     const std::vector<analysis::AccessInstance> *exempt, const std::vector<Values> &sizes);

} // namespace sdfgc::test
