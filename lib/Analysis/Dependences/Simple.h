// Pairs that are decided without a system: the most, in the least time.
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"

namespace sdfgc::analysis::dependences {

struct Simple {
    bool decided = false;
    std::optional<Conflict> conflict; // nothing, where decided: no conflict
};

/// Decides subsets whose dimensions are the same in both, or points that use one variable with the same coefficient, at a constant
/// distance, of loops that do not depend on each other. Where it cannot, a system must.
Simple simpleConflict(const AccessInstance &a, const AccessInstance &b, std::size_t common);

} // namespace sdfgc::analysis::dependences
