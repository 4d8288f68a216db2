// Where a container lives in a generated function.
//
// The lowering resolves every name once: a container, a view, a member of a structure, an array of a nested SDFG are all places,
// and from there on nothing is looked up. Places.h finds them, Containers.h and Views.h make them, Elements.h refers to their
// elements.
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
    sym::Expr memory = 0;               // elements of the variable's memory, from its start on; 0: unknown
    /// False: there is no such place, and whoever needs it reports that.
    bool valid() const { return bool(var); }
    bool onDevice() const { return desc && desc->storage == ir::Storage::GPU_Global; }
};

} // namespace sdfgc::tree::lowering
