// The memory that a program allocates.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// Returns the size, in bytes, of all containers with memory of their own that are not arguments, in terms of the
/// SDFG's symbols. Those of nested SDFGs and of iterations count once, however often they run. If a size changes from
/// iteration to iteration of a loop, the maximum counts, provided that it is in the first or last iteration.
sym::Expr bytesOfTransients(const ir::SDFG &g);

/// Adds symbols that edges of the SDFG assign from names with given values, such as scalars: with `n = nt` and 25 for
/// `nt`, `n` is 25.
void addAssignedValues(const ir::SDFG &g, std::map<Name, int64_t> &values);

} // namespace sdfgc::analysis
