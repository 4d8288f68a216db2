// Kernels that are given memory of the host.
#pragma once

#include "Lower/Program/Program.h"

namespace sdfgc::tree::lowering {

/// Warns of each container in pageable memory of the host that a kernel of the program uses (diag::Id::KernelUsesHostMemory), once for
/// each kernel. DaCe passes such pointers without a word. GPUs that share the host's page tables can use them; on others the kernel
/// ends with an illegal memory access.
void warnOfHostMemory(const Program &program);

} // namespace sdfgc::tree::lowering
