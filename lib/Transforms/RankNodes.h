// Nodes that passes for several ranks add to a state: element-wise maps, and calls of MPI between containers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// A container at an end of an element-wise map: the element of an iteration, and all of them.
struct Operand {
    ir::AccessNode *node = nullptr;
    sym::Subset element, all;
    std::string wcr; // of what is written
};

/// A map without nodes in it, and its exit.
ir::MapEntry *emptyMap(ir::State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges);

/// A map with one tasklet, which reads `in` (null: nothing) at `__inp` and writes `out` from `__out`. Without parameters only the tasklet.
/// Returns the first node.
ir::Node *elementMap(ir::State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges,
                     const Operand *in, const Operand &out, const std::string &code);

/// A node of the library mpi from a subset of one access node's container to one of another. Its label is that of the class and the
/// container.
ir::LibraryNode *mpiNode(ir::State &s, const std::string &className, ir::AccessNode *from, const sym::Subset &read,
                         ir::AccessNode *to, const sym::Subset &written);

} // namespace sdfgc::transforms
