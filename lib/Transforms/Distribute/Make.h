// Nodes that distribute adds to a state.
#pragma once

#include "Transforms/Distribute/Plan.h"

namespace sdfgc::transforms::distribution {

/// A container at an end of an element-wise map: the element of an iteration, and all of them.
struct Operand {
    ir::AccessNode *node = nullptr;
    sym::Subset element, all;
    std::string wcr; // of what is written
};

/// A map with one tasklet, which reads `in` (null: nothing) at `__inp` and writes `out` from `__out`. Without parameters only the tasklet.
/// Returns the first node.
ir::Node *elementMap(ir::State &s, const std::string &label, std::vector<Name> params, std::vector<sym::Range> ranges,
                     const Operand *in, const Operand &out, const std::string &code);

/// A node of the library mpi from a subset of one access node's container to one of another.
ir::LibraryNode *mpiNode(ir::State &s, const std::string &className, ir::AccessNode *from, const sym::Subset &read,
                         ir::AccessNode *to, const sym::Subset &written);

/// Puts a tasklet into a map of one parameter; edges to and from access nodes lead through it. Returns the entry.
ir::MapEntry *wrap(ir::State &s, ir::Tasklet &t, Name parameter, const sym::Range &range);

} // namespace sdfgc::transforms::distribution
