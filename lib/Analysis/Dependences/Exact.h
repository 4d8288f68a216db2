// The second tier of the dependence engine: uses a library for integer sets to decide systems that elimination cannot.
#pragma once

#include "Analysis/Dependences/System.h"

namespace sdfgc::analysis::dependences {

/// Do the inequalities (each at least zero) have an integer solution? Exact up to a limit on the number of operations per query.
/// Operations are counted rather than timed, so the answer is the same on every machine. Unknown beyond the limit, and for
/// coefficients above 32 bits.
Feasibility solveExactly(const Rows &rows);

} // namespace sdfgc::analysis::dependences
