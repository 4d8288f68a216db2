// Where control goes from a statement.
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::transforms {

/// May control leave a statement other than at its end? `inLoop`: `break` and `continue` stay inside.
bool jumpsOut(const tree::Node &n, bool inLoop);
/// May control leave the body of a loop other than at its end?
bool leavesIteration(const tree::Block &body);

} // namespace sdfgc::transforms
