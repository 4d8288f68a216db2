// Arguments of nested SDFGs, and connectors of tasklets, whose element type differs from that of the outer container.
//
// Such a scalar of a nested SDFG is a value, converted on the way in and on the way out. An array is memory and cannot
// be converted: it has one type or the other. Vectors of the container's elements are the same memory.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// Are both types numbers, or vectors of numbers, and neither consists of elements of the other?
bool differ(Type a, Type b);

/// Returns the outer container that an edge of a nested SDFG node connects to its argument, or null.
const ir::DataDesc *outerContainer(const ir::Edge &e, const ir::NestedSDFGNode &n);

/// Does the argument at this edge hold converted values: is it a scalar whose type differs from that of the outer
/// container?
bool isConverted(const ir::Edge &e, const ir::NestedSDFGNode &n);

/// Does every execution of the SDFG write the scalar, without conflict resolution? False if that is not obvious.
bool alwaysWrites(const ir::SDFG &g, Name scalar);

} // namespace sdfgc::analysis
