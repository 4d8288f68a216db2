// Finds the place of a name in the graph: containers, members of structures, views, constants.
//
// Containers are placed by Containers.h and Nested.h. Members and constants get their places on first use, and so do views outside
// of states, which have no declaration.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// The place of a container by its (dotted) name; an invalid one if the name is unknown.
MemoryPlace containerPlace(Instance &in, Name data);

/// The place of an access node; for a view, the memory that this node views.
MemoryPlace placeOfNode(Instance &in, const ir::AccessNode &n);

/// The container at one end of a memlet's path: that of the access node there, or a member of it.
MemoryPlace placeAt(Instance &in, const ir::Edge &e, const ir::AccessNode &end);

} // namespace sdfgc::tree::lowering
