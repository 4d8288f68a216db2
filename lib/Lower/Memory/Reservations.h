// Memory for containers that are allocated while the program runs: the graph's Reserve, Allocate and Free nodes
// (sdfgc/Analysis/Device/Async.h).
#pragma once

#include "Lower/Program/Instance.h"

#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::tree::lowering {

/// Reserves memory for the container's current size. Reports an error at `at` if the container has no place.
void reserve(Instance &in, Name name, diag::Location at, Block &out);

/// Allocates memory of its current size for a container of the device's pool, or frees it. Reports an error at `at` if it has no
/// place in the pool.
void poolMemory(Instance &in, const analysis::AsyncOp &op, diag::Location at, Block &out);

} // namespace sdfgc::tree::lowering
