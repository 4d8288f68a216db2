// Which parts of a host program a kernel can run: loops and states that contain only work of the device.
//
//     for k in range(N):                 kernels, copies within the device, scalars: one kernel can run all of it
//         A[k, k] = sqrt(A[k, k])
//         for j in range(k): ...
//     for k in range(N):
//         print(A[k])                    code for the host: no
//
// A block can be in a kernel if:
//   1. its states contain maps whose threads the graph does not arrange, Python tasklets without effects, also in maps, copies,
//      nested SDFGs with such states, and library nodes that reduce, or multiply by a vector: these have expansions of which a
//      block can share the work;
//   2. it has no returns and no unstructured control flow, calls no functions between states, and the graph asks neither to
//      keep nor to time anything in it;
//   3. its containers are scalars, or arrays in device memory with a size that nothing in the block changes. Control flow may
//      read them: threads wait for each other between a write and a condition. If control flow reads an array of the host, the
//      block writes it only by copies of an entire array of the device, which the kernel reads instead, and a later reader
//      on the host gets a copy of its own;
//   4. symbols that it assigns, and that are read after it, are numbers: the kernel returns them (KernelResults.h).
// In a kernel of many blocks, the first block computes sums: library nodes beside its maps have a single element as their result, and maps
// update no elements that their iterations share, except those that only add up values in one element.
#pragma once

#include "Transforms/Offload/FewElements.h"

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// The array that an edge copies to one of the host, so that control flow can read it; null for other edges.
const ir::AccessNode *copiedForControl(const ir::Edge &e);

/// Does a state only copy arrays to the host for the control flow of a block?
bool copiesOnlyFor(const ir::State &s, ir::Block &reader);

/// Why a kernel cannot run a block of the host; empty if it can. `moved`: offload-to-gpu has moved the program. Otherwise its
/// arrays are assumed to be moved.
diag::Reason whyNotInKernel(ir::Block &b, bool moved, KernelBlocks blocks = KernelBlocks::One);

} // namespace sdfgc::transforms
