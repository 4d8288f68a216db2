// Python code of a tasklet.
//
// A connector becomes a variable only if the memory model needs one (docs/developer/design.md):
//   inputs   are read once before the code. They are substituted in place if no earlier write of the tasklet can change the value:
//            their variable is not written, or every store is the last action of the code. Long subscripts that are used often get
//            a constant for readability. Dynamic inputs are read where they are used.
//   outputs  are written where the code assigns them. They get a local variable only if the code reads its own output or
//            accumulates into it.
// Conflict resolution, stream pushes and references are statements of the tree; an `if` around them becomes a tree statement, too.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// Adds the parsed code of a tasklet to `out`. Reports type mismatches, subscripts of the wrong rank, and loops that cannot become
/// tree statements.
void lowerPython(Instance &in, const ir::Tasklet &t, TaskletConnections &connections, std::vector<py::StmtRef> code, Block &out);

} // namespace sdfgc::tree::lowering
