// Creates nodes for the passes that distribute programs over ranks: element-wise maps, and MPI calls between
// containers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// A container at one end of an element-wise map: the element of one iteration, and the subset of all iterations.
struct Operand {
    ir::AccessNode *node = nullptr;
    sym::Subset element, all;
    std::string wcr; // of the write
};

/// Creates a map with one tasklet that reads `in` (null: nothing) as `__inp` and writes `__out` to `out`; without
/// parameters, only the tasklet. Returns the first node.
ir::Node *elementMap(ir::State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges,
                     const Operand *in, const Operand &out, const std::string &code);

/// Creates a node of the library mpi that reads a subset of one access node and writes a subset of another. Its label
/// combines the class and the container.
ir::LibraryNode *mpiNode(ir::State &s, const std::string &className, ir::AccessNode *from, const sym::Subset &read,
                         ir::AccessNode *to, const sym::Subset &written);

} // namespace sdfgc::transforms
