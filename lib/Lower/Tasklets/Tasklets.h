// Tasklets: connectors become memory references, so that `c = a + b` prints as `C[i] = A[i] + B[i]`.
//
// TaskletConnections.h resolves the connectors, TaskletPython.h lowers Python, TaskletCpp.h copies C++ verbatim, and LibraryCalls.h
// lowers library calls. TaskletStores.h creates the statements that store results.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// One tasklet; nothing for an unlabelled or empty one. Reports connectors that cannot be resolved, code that does not parse,
/// languages other than Python and C++, and the errors of takeTaskletBlocks().
void lowerTasklet(Instance &in, ir::Tasklet &t, Block &out);

} // namespace sdfgc::tree::lowering
