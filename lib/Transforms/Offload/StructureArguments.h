// Arguments of nested SDFGs that take the place of structures. For flattenMembers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// Passes a container along the path of a structure into a nested SDFG, as `inner`. `structure`: the edge at the nested SDFG;
/// `outer`: the node of the container.
void passIn(ir::NestedSDFGNode &n, ir::Edge &structure, Name inner, ir::AccessNode &outer);
/// The same for a container that the nested SDFG writes.
void passOut(ir::NestedSDFGNode &n, ir::Edge &structure, Name inner, ir::AccessNode &outer);

/// Removes arguments of a nested SDFG that are structures which it does not use.
void dropStructures(ir::NestedSDFGNode &n);

} // namespace sdfgc::transforms
