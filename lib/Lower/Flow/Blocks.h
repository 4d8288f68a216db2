// Blocks of statements around what is lowered: timers and braces.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// What a report says of the measured element: numbers of the region, the state in it, the node in that; -1 where there is none.
struct TimedElement {
    int cfg = -1, state = -1, node = -1;
};

/// A node of the state that is being lowered.
TimedElement timedNode(const Instance &in, const ir::Node &n);

/// Adds a timer to `out`. Returns its body, for the code that is measured.
Block &timed(const Instance &in, std::string name, TimedElement element, Block &out);

/// Makes `block` a C++ scope if something is declared directly in `body`, which is `block` or a timer's in it.
void braceIfDeclaring(Block &block, const Block &body);

} // namespace sdfgc::tree::lowering
