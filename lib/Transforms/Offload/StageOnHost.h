// Library nodes that compute on the host though their arrays are in device memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Is this a node of which there is no parallel expansion (factorisations, Fourier transforms): a sequence of dependent steps, which one
/// thread of a GPU would do far slower than the host?
bool belongsOnHost(const ir::LibraryNode &n);

/// Puts host containers between the node and the device memory that it reads and writes, with copies of the parts that it uses. The node
/// must lie outside of maps; connections to containers of the host are left as they are.
void stageOnHost(ir::LibraryNode &n);

} // namespace sdfgc::transforms
