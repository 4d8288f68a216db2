// The location of a container in a generated function.
//
// The lowering resolves every name once: containers, views, members of structures and arrays of nested SDFGs are all places, and
// after that nothing is looked up. Places.h finds them, Containers.h and Views.h create them, Elements.h refers to their elements.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <vector>

namespace sdfgc::tree::lowering {

/// Element (i, j, ...) is var[offset + sum((index_d + offsets_d) * strides_d)]. All expressions are over variable names of the
/// function.
struct MemoryPlace {
    VarId var;
    sym::Expr offset = 0;
    std::vector<sym::Expr> strides, offsets, shape;
    Type type;                          // of an element
    const ir::DataDesc *desc = nullptr; // null: the value of an edge between two tasklets
    sym::Expr memory = 0;               // size of the variable's memory in elements, from its start; 0: unknown
    /// False if there is no such place; the code that needs it reports that.
    bool valid() const { return bool(var); }
    bool onDevice() const { return desc && desc->storage == ir::Storage::GPU_Global; }
};

} // namespace sdfgc::tree::lowering
