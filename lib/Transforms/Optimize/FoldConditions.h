// Conditions that edges compute in front of them.
#pragma once

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Moves comparisons from edges into the branches that alone test their results: a Fortran front end writes `t = A[i] > s` on an
/// edge and then tests `t == 1`, so that `t` hides which values decide. Returns whether anything changed. The symbols stay
/// declared.
///
/// Legal when only empty states are between the edge and the branch, and nothing else reads the symbol.
bool foldConditions(ir::SDFG &g, pass::Context &context);

} // namespace sdfgc::transforms
