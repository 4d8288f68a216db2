// Library nodes that compute on the host though their arrays are in device memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Puts host containers between the node and the device memory that it reads and writes, with copies of the parts that it uses. The
/// node must lie outside of maps; connections to containers of the host are left as they are.
void stageOnHost(ir::LibraryNode &n);

} // namespace sdfgc::transforms
