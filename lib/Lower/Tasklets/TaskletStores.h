// Statements that store the results of a tasklet: assignments, updates with conflict resolution, stream pushes, references.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// Stores the value of a variable through an output, at the end of `to`.
void store(Instance &in, const Connection &c, Name variable, Block &to);

/// Stores a value through an output, at the end of `to`. `target`: a reference to the element, unless the output has only one.
/// `old`: the variable that receives the previous value of an updated element, or none.
void storeValue(Instance &in, const Connection &c, const py::Expr *target, py::ExprRef value, VarId old, Block &to);

} // namespace sdfgc::tree::lowering
