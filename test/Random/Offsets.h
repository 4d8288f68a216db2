// Containers whose indices do not start at 0, as in Fortran.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::random {

/// Gives some arrays of the graph an offset, and shifts the subsets of all their memlets accordingly: the meaning of the program
/// does not change.
void shiftIndices(ir::SDFG &root, test::RandomNumbers &random);

} // namespace sdfgc::random
