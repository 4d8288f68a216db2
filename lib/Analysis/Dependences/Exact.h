// The second tier of the dependence engine: systems that elimination cannot decide, by a library for integer sets.
#pragma once

#include "Analysis/Dependences/System.h"

namespace sdfgc::analysis::dependences {

/// Have the inequalities (each at least zero) a solution in integers? Exact where sdfgc is built with isl (SDFGC_WITH_ISL), within
/// a bound on the operations that one question may take, which is a count and no time: the answer is the same on every machine.
/// Unknown otherwise, so that a build without isl is as safe, and knows less.
Feasibility solveExactly(const Rows &rows);

/// Is this a build with isl?
bool canSolveExactly();

} // namespace sdfgc::analysis::dependences
