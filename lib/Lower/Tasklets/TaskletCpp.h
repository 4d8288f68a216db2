// C++ tasklets: the text as written, with a variable for each connector.
//
// The effect of the text on its variables is unknown, so each connector gets a variable of the same name, declared before the text;
// outputs are stored after it. If such a name shadows a variable that one of the declarations needs, that variable first gets
// another name.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// Adds a C++ tasklet to `out`; places of outputs in the connections may become aliases of the same memory.
void lowerCpp(Instance &in, const ir::Tasklet &t, TaskletConnections &connections, Block &out);

} // namespace sdfgc::tree::lowering
