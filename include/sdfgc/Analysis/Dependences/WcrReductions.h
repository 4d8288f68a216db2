// Decides which writes with conflict resolution become reductions of a map: each thread, or each block of a kernel,
// combines the values of its iterations, and then the result with the target, once.
#pragma once

#include "sdfgc/Analysis/Dependences/WcrTargets.h"
#include "sdfgc/Tasklet/Types.h"

#include <string>

namespace sdfgc::analysis {

/// Does combining a value with the identity leave every value of the type unchanged? Logical operations turn nonzero
/// numbers into 1, so an element that no iteration updates must not be combined with an accumulator.
bool identityKeepsValues(py::Reduction kind, Type t);

/// Does OpenMP have a reduction clause for this operation and type that is also correct for elements that no iteration
/// updates?
bool hasClause(py::Reduction kind, Type t);

struct ReductionOrNot {
    const WriteLevel *level = nullptr; // level of the target at which the map writes; null: not a reduction
    std::string why;                   // why it is not a reduction
};

/// Can `map`, the outermost parallel scope around the write, reduce the values that `leaf` writes? It can if everything
/// that the map does to the container, also in nested SDFGs, is an update by one operation that the target supports for
/// the type, and if it updates one element or few.
ReductionOrNot reductionOf(WriteTracer &tracer, const ir::Edge &leaf, const WriteTarget &target, const ir::Node &map);

} // namespace sdfgc::analysis
