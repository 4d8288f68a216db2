// What a program leaves unspecified: the order of its reductions, the effect of that order on infinities and NaN, and
// the order of pushes.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::validate {

struct Reductions {
    bool compares = false;   // minima and maxima: the order determines how they treat NaN
    bool multiplies = false; // products: a factor that has overflowed before it meets a zero gives NaN
    bool rounds = false;     // floating-point sums and similar: the order determines the last bits (py::orderCounts)
    bool unordered = false;  // some combine results of iterations of a parallel map
    Reductions &operator|=(const Reductions &other);
};

/// Returns the reductions of all nested SDFGs: conflict resolution and Reduce nodes, by the meaning of their functions,
/// not by their text, and minima and maxima that loops keep in a single number.
Reductions reductionsOf(const ir::SDFG &graph);
/// The same for the tree that a graph was lowered to.
Reductions reductionsOf(const tree::Module &tree);

/// Returns a stream to which iterations of a parallel map push, so that the order of its elements is unspecified; empty
/// if there is none.
Name streamInAnyOrder(const ir::SDFG &graph);

/// Does the graph give the memory of a container another shape: by views, references, or arguments of nested SDFGs?
/// Then an index outside a shape is not a fault as long as there is memory, because the applicable shape depends on
/// which of them passes remove.
bool reshapesMemory(const ir::SDFG &graph);

/// Does a kernel of the graph access host memory? The interpreter detects that only in a tree, where every access has
/// its memory, and no pass has introduced it.
bool givesHostMemoryToKernels(const ir::SDFG &graph);

} // namespace sdfgc::validate
