#include "sdfgc/Analysis/Dependences/Dependences.h"

#include "Analysis/Dependences/Directions.h"
#include "Analysis/Dependences/Simple.h"

#include <algorithm>

namespace sdfgc::analysis {

std::optional<Conflict> conflictOf(const AccessInstance &a, const AccessInstance &b, std::size_t common,
                                   const sym::Assumptions &facts) {
    dependences::Simple simple = dependences::simpleConflict(a, b, common);
    if (simple.decided)
        return std::move(simple.conflict);
    dependences::Pair pair(a, b, common, facts);
    pair.meet();
    return dependences::conflictIn(pair);
}

bool isCarriedBy(const Conflict &c, std::size_t level) {
    return std::any_of(c.vectors.begin(), c.vectors.end(), [&](const std::vector<Directions> &v) {
        return (v[level].less || v[level].greater) &&
               std::all_of(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(level), [](const Directions &d) { return d.equal; });
    });
}

bool isWithinIteration(const Conflict &c) {
    return std::all_of(c.levels.begin(), c.levels.end(), [](const Directions &d) { return d == Directions{.equal = true}; });
}

} // namespace sdfgc::analysis
