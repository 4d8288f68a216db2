// Which writes with conflict resolution are reductions of a map: each thread, or each block of a kernel, combines the values of its
// iterations, and what they come to is combined with the target once.
#pragma once

#include "Transforms/Lower/WcrTargets.h"

#include "sdfgc/Tasklet/Types.h"

#include <string>

namespace sdfgc::transforms {

/// Does combining an element with the identity leave every value of the type as it is? Logical operations make 1 of every other number
/// than 0: an element that no iteration updates must not be combined with an accumulator.
bool identityKeepsValues(py::Reduction kind, Type t);

/// Has OpenMP a clause for this reduction of this type, which may also update elements that no iteration does?
bool hasClause(py::Reduction kind, Type t);

struct ReductionOrNot {
    const WriteLevel *level = nullptr; // of the target, at which the map writes what is reduced; null: no reduction
    std::string why;                   // there is none
};

/// Can `map`, the outermost parallel scope around the write, reduce what `leaf` writes? It can if everything that the map does to
/// the container, also in nested SDFGs, is an update by one operation that the target has for the type, and it updates one element
/// or few.
ReductionOrNot reductionOf(WriteTracer &tracer, const ir::Edge &leaf, const WriteTarget &target, const ir::Node &map);

} // namespace sdfgc::transforms
