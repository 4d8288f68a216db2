// Runs library nodes, and tasklets, on the host although their arrays are in device memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>

namespace sdfgc::transforms {

/// Inserts host containers between the node and the device memory that it accesses, with copies of the accessed parts.
/// The node must be outside maps. Connections to host containers stay as they are.
void stageOnHost(ir::LibraryNode &n);

/// The same for a tasklet with code for the host, before it is known which containers will be in device memory. `isStaged`: may a
/// container be?
void stageOnHost(ir::Tasklet &t, const std::function<bool(const ir::DataDesc &)> &isStaged);

} // namespace sdfgc::transforms
