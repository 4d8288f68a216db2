// Containers whose indices do not begin at 0, as those of Fortran.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::random {

/// Gives some arrays of the graph an offset, and moves the subsets of all memlets of theirs with it: the program means the same.
void shiftIndices(ir::SDFG &root, test::RandomNumbers &random);

} // namespace sdfgc::random
