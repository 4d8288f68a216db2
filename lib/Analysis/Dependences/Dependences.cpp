#include "sdfgc/Analysis/Dependences/Dependences.h"

#include "Analysis/Dependences/Directions.h"
#include "Analysis/Dependences/Simple.h"

#include <algorithm>

namespace sdfgc::analysis {

AccessInstance AccessInstance::substituted(const std::map<Name, sym::Expr> &meaning) const {
    AccessInstance out;
    if (subset)
        out.subset = subset->substituted(meaning);
    for (const LoopLevel &l : loops)
        out.loops.push_back({l.variable, l.range.substituted(meaning)});
    return out;
}

void Conflict::add(const Conflict &other) {
    for (std::size_t k = 0; k < levels.size(); ++k) {
        levels[k].less |= other.levels[k].less;
        levels[k].equal |= other.levels[k].equal;
        levels[k].greater |= other.levels[k].greater;
        if (distances[k] != other.distances[k])
            distances[k].reset();
    }
    for (const std::vector<Directions> &v : other.vectors)
        if (std::find(vectors.begin(), vectors.end(), v) == vectors.end())
            vectors.push_back(v);
    exact = exact && other.exact;
    if (why.empty())
        why = other.why;
}

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
