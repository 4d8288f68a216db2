// Kernels that receive host memory.
#pragma once

#include "Lower/Program/LoweredProgram.h"

namespace sdfgc::tree::lowering {

/// Warns, once per kernel, of each container in pageable host memory that a kernel of the program uses
/// (diag::Id::KernelUsesHostMemory). DaCe passes such pointers without a warning. GPUs that share the host's page tables can use
/// them; on others the kernel ends with an illegal memory access.
void warnOfHostMemory(const LoweredProgram &program);

} // namespace sdfgc::tree::lowering
