// Blocks of statements around lowered code: timers and braces.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// The position of the measured element in a report: indices of the region, the state in it, and the node in that; -1 if there is
/// none.
struct TimedElement {
    int cfg = -1, state = -1, node = -1;
};

/// A node of the state that is being lowered.
TimedElement timedNode(const Instance &in, const ir::Node &n);

/// Adds a timer to `out`. Returns its body, which receives the measured code.
Block &timed(const Instance &in, std::string name, TimedElement element, Block &out);

/// Makes `block` a C++ scope if there are declarations directly in `body`, which is `block` itself or the body of a timer in it.
void braceIfDeclaring(Block &block, const Block &body);

} // namespace sdfgc::tree::lowering
