// How much memory a program takes for itself.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// The bytes of all containers that are no arguments and have memory of their own, in terms of the SDFG's symbols. Those of nested SDFGs count
/// once each, however often these run, and so do those of iterations: of sizes that change from iteration to iteration of a loop the
/// largest counts, where it is in the first or the last one.
sym::Expr bytesOfTransients(const ir::SDFG &g);

/// Adds the values of symbols that edges of the SDFG set to names with given values, scalars say: with `n = nt` and 25 for `nt`, `n` is 25.
void addAssignedValues(const ir::SDFG &g, std::map<Name, int64_t> &values);

} // namespace sdfgc::analysis
