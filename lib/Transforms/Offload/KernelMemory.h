// Prepares host code that becomes a kernel (persist-loops): its one-thread kernels and its containers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Kernels of one thread become the tasklets that they were, and other kernels let shape-kernels choose their threads. Private
/// elements become registers if only code that all threads run writes them. Otherwise they are in shared memory. One thread runs loops
/// that only contain its code (ThreadLoops.h).
void placeInBlock(ir::SDFG &g);

/// The same for a kernel of many blocks: kernels let shape-kernels choose their threads, and private elements that code outside of maps
/// uses, which a single thread runs, are in device memory.
void placeInGrid(ir::SDFG &g);

} // namespace sdfgc::transforms
