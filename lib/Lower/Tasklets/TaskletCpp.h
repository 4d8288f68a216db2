// C++ tasklets: the text as written, with a variable for each connector.
//
// Nobody knows what the text does to its variables, so each connector gets one that is declared in front of it, with the
// connector's name; outputs are stored after it. Where such a name hides a variable that one of the declarations needs, that
// variable is given another name in front of them all.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// Adds a C++ tasklet to `out`; places of outputs in the connections may become other names of the same memory.
void lowerCpp(Instance &in, const ir::Tasklet &t, TaskletConnections &connections, Block &out);

} // namespace sdfgc::tree::lowering
