// Runs library nodes on the host although their arrays are in device memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Inserts host containers between the node and the device memory that it accesses, with copies of the accessed parts.
/// The node must be outside maps. Connections to host containers stay as they are.
void stageOnHost(ir::LibraryNode &n);

} // namespace sdfgc::transforms
