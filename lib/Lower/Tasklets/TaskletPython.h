// Python code of a tasklet.
//
// A connector becomes a variable only where the memory model needs one (docs/developer/design.md):
//   inputs   read once before the code. Substituted in place when nothing that the tasklet writes earlier can change the value: the
//            variable they live in is not written, or every store is the last thing the code does. Long subscripts that are used
//            often get a constant for readability. Dynamic inputs are read where they are used.
//   outputs  written where the code assigns them. A local variable only when the code reads its own output or accumulates into it.
// Conflict resolution, stream pushes and references are statements of the tree; an `if` around them becomes one of the tree too.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// Adds the code of a tasklet, parsed, to `out`. Types that do not fit, subscripts of the wrong rank, and loops that cannot be
/// statements of the tree are reported.
void lowerPython(Instance &in, const ir::Tasklet &t, TaskletConnections &connections, std::vector<py::StmtRef> code, Block &out);

} // namespace sdfgc::tree::lowering
