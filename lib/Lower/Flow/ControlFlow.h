// Control flow: regions as lists of statements, loops, branches.
//
// A region whose blocks form a sequence becomes a sequence; others become labels and jumps (UnstructuredFlow.h). Assignments of
// edges between blocks are statements between them.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// The blocks of a region in sequence. Reports a region without a start.
void lowerRegion(Instance &in, ir::Region &r, Block &out);

/// One block of a region: a state, loop, branch, jump or region.
void lowerBlock(Instance &in, ir::Block &b, Block &out);

/// The assignments on an edge between two blocks of a region.
void addAssignments(Instance &in, const ir::InterstateEdge &e, const ir::Region &r, Block &out);

} // namespace sdfgc::tree::lowering
