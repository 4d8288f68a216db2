// Reductions: containers into which all iterations of a map only accumulate.
//
// A target that resolve-wcr marked Reduction appears in the pragma's reduction clause: as itself if it is a variable of the
// function, otherwise as a local accumulator whose initial value is the identity and which is combined with the target once, after
// the loop. In a kernel, each thread has an accumulator, and each block updates the target once.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A container that a map accumulates into.
struct ReductionPlan {
    Name container;
    MemoryPlace outer, local; // the same place if the target itself is in the clause
    py::Reduction kind;
    sym::Expr count; // elements
};

/// The accumulator that replaces a container in a write with conflict resolution; null if there is none.
const MemoryPlace *accumulatorOf(const Instance &in, const ir::Edge &write, Name container);

/// Finds the targets of a map. Accumulators are declared at the end of `out`, and clauses are added to `omp`. Until
/// finishReductions(), writes that update a target update its accumulator.
std::vector<ReductionPlan> planReductions(Instance &in, const ir::MapEntry &m, Block &out, Omp &omp);

/// Combines accumulators with their targets, at the end of `out`.
void finishReductions(Instance &in, const std::vector<ReductionPlan> &plans, Block &out);

} // namespace sdfgc::tree::lowering
