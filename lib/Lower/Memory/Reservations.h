// Memory for containers that get it while the program runs: nodes Reserve, Allocate and Free of the graph
// (sdfgc/Analysis/Device/Async.h).
#pragma once

#include "Lower/Program/Instance.h"

#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::tree::lowering {

/// Memory for the size that a container has here. Reported at `at` if the container has no place.
void reserve(Instance &in, Name name, diag::Location at, Block &out);

/// A container of the device's pool gets memory of the size that it has here, or gives it back. Reported at `at` if it has no place
/// in the pool.
void poolMemory(Instance &in, const analysis::AsyncOp &op, diag::Location at, Block &out);

} // namespace sdfgc::tree::lowering
