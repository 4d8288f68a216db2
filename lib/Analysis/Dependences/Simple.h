// Decides pairs without a system: this covers most pairs, and is fastest.
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"

namespace sdfgc::analysis::dependences {

struct Simple {
    bool decided = false;
    std::optional<Conflict> conflict; // nothing, if decided: no conflict
};

/// Decides two kinds of pairs: subsets whose dimensions are identical, and points that use the same variable with the same
/// coefficient at a constant distance, in loops that do not depend on each other. All other pairs need a system.
Simple simpleConflict(const AccessInstance &a, const AccessInstance &b, std::size_t common);

} // namespace sdfgc::analysis::dependences
