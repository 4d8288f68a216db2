// What a program leaves open: the order of its reductions, what an order does to infinities and NaN, and the order of pushes.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::validate {

struct Reductions {
    bool compares = false;   // minima and maxima: the order decides what they make of NaN
    bool multiplies = false; // products: a factor that has overflowed before it meets a zero gives NaN
    bool rounds = false;     // floating-point sums and the like: the order decides the last bits (py::orderCounts)
    bool unordered = false;  // some of them combine what iterations of a parallel map have computed
    Reductions &operator|=(const Reductions &other);
};

/// The reductions of all nested SDFGs: conflict resolution and Reduce nodes, by what their functions are, not by how they are written.
Reductions reductionsOf(const ir::SDFG &graph);
/// The same of the tree that a graph has become.
Reductions reductionsOf(const tree::Module &tree);

/// A stream to which iterations of a parallel map push, so that the order of its elements is open. Empty where there is none.
Name streamInAnyOrder(const ir::SDFG &graph);

/// Does the graph give memory of a container another shape: by views, references, or arguments of nested SDFGs? Then an index beyond a
/// shape is no fault as long as there is memory, and which shape that is depends on which of them is left.
bool reshapesMemory(const ir::SDFG &graph);

/// Does a kernel of the graph access memory of the host? The interpreter sees that in a tree only, where every access has its memory, and
/// no pass has brought it about.
bool givesHostMemoryToKernels(const ir::SDFG &graph);

} // namespace sdfgc::validate
