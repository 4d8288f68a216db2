// Calls of libraries.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// A tasklet in the language Library (sdfgc/Analysis/LibraryCalls.h), added to `out`. Reports text that is not such a call, and
/// connectors that a call does not support (queues, conflict resolution, references).
void lowerLibraryCall(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, Block &out);

} // namespace sdfgc::tree::lowering
