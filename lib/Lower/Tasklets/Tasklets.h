// Tasklets: connectors become memory references, so that `c = a + b` prints as `C[i] = A[i] + B[i]`.
//
// TaskletConnections.h finds what the connectors stand for, TaskletPython.h lowers Python, TaskletCpp.h takes C++ as written, in
// place of an argument where it is one call (TaskletCall.h). TaskletStores.h makes the statements that store results.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// One tasklet; nothing for an unlabelled or empty one. Reported: connectors that stand for nothing, code that does not parse,
/// other languages than Python and C++, and what takeTaskletBlocks() says.
void lowerTasklet(Instance &in, ir::Tasklet &t, Block &out);

} // namespace sdfgc::tree::lowering
