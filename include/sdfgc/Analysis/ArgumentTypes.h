// Arguments of nested SDFGs, and connectors of tasklets, whose elements have another type than the container outside.
//
// A scalar of a nested SDFG is a value then: it is converted on the way in, and back on the way out. An array is memory, which is either
// of the one type or of the other. Vectors of the container's elements are the same memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// Are both numbers, or vectors of numbers, of which neither is made of the other?
bool differ(Type a, Type b);

/// The container outside that an edge of a nested SDFG node connects to its argument; null where there is none.
const ir::DataDesc *outerContainer(const ir::Edge &e, const ir::NestedSDFGNode &n);

/// Does the argument at this edge hold converted values: is it a scalar of another type than the container outside?
bool isConverted(const ir::Edge &e, const ir::NestedSDFGNode &n);

/// Does every execution of the SDFG write the scalar, without conflict resolution? False where that is not plain to see.
bool alwaysWrites(const ir::SDFG &g, Name scalar);

} // namespace sdfgc::analysis
