// Random pairs of accesses, and what is true of them, counted one iteration after another.
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
    std::vector<Values> sizes; // what the symbols are in turn; one without any where there are none

    std::string str() const;
};

/// What a pair is made of.
enum class Style : uint8_t {
    Constant,  // bounds 0 to 6, coefficients -3 to 3, steps -3 to 3, triangular bounds, ranges with steps and tiles
    Symbolic,  // the same with symbolic sizes
    Flattened, // N * i + j
    Divided,   // i // 2, i % 3, min(i + 2, N)
};
RandomPair randomPair(RandomNumbers &random, Style style);

using OnConflict = std::function<void(const Values &size, const std::vector<int64_t> &distance)>;
/// Calls `found` for each two iterations whose elements meet: with the size and the distances of the common loops, as differences
/// of their variables' values. Returns whether, in each iteration of the common loops, all that a touches is touched by b.
bool enumerate(const RandomPair &p, const std::vector<Values> &sizes, const OnConflict &found);

} // namespace sdfgc::test
