// The second tier of the dependence engine: systems that elimination cannot decide, by a library for integer sets.
#pragma once

#include "Analysis/Dependences/System.h"

namespace sdfgc::analysis::dependences {

/// Do the inequalities (each at least zero) have an integer solution? Exact within a limit on the number of operations per question,
/// which are counted, not timed: the answer is the same on every machine. Unknown beyond it, and for coefficients above 32 bits.
Feasibility solveExactly(const Rows &rows);

} // namespace sdfgc::analysis::dependences
