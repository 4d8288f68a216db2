// Reductions: what all iterations of a map only accumulate.
//
// A target that resolve-wcr marked Reduction is named in the pragma's reduction clause: itself if it is a variable of the function,
// else as a local accumulator with the identity as initial value, which is combined with the target once, after the loop. In a
// kernel each thread has one, and each block combines once.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A container that a map accumulates into.
struct ReductionPlan {
    Name container;
    MemoryPlace outer, local; // the same where the target itself takes part
    py::Reduction kind;
    sym::Expr count; // elements
};

/// The accumulator that takes the place of a container in a write with conflict resolution; null when there is none.
const MemoryPlace *accumulatorOf(const Instance &in, const ir::Edge &write, Name container);

/// Finds the targets of a map. Accumulators are declared at the end of `out`, clauses added to `omp`. Until finishReductions(),
/// writes that update a target update its accumulator.
std::vector<ReductionPlan> planReductions(Instance &in, const ir::MapEntry &m, Block &out, Omp &omp);

/// Combines accumulators with their targets, at the end of `out`.
void finishReductions(Instance &in, const std::vector<ReductionPlan> &plans, Block &out);

} // namespace sdfgc::tree::lowering
