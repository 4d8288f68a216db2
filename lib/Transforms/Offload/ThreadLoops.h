// Loops that only contain code for a single thread, such as a sum in a given order.
//
//     for i in range(N):                  the threads of a kernel would wait for each other in each iteration,
//         s += A[i]                       although all of them but one only wait
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Does a loop contain only Python tasklets without effects, kernels of one thread around such tasklets, and copies of single
/// elements? Its control flow reads no containers.
bool isForOneThread(const ir::LoopRegion &l);

/// In an SDFG that the threads of a kernel run together: lets one thread run such loops, outermost ones first, if others use what they
/// write. Each becomes a nested SDFG in a map of one iteration. Its private elements are registers.
void runInOneThread(ir::SDFG &g);

/// Containers of nested SDFGs that one thread runs get the storage that they have outside.
void followStorage(ir::SDFG &g);

/// Kernels of one thread around a single tasklet become this tasklet.
void unwrapTasklets(ir::State &s);

} // namespace sdfgc::transforms
