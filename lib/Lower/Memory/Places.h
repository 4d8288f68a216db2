// Finds the place of what a graph names: containers, members of structures, views, constants.
//
// Containers are where Containers.h and Nested.h put them. Members and constants get their places when they are first asked for; so
// do views outside of states, which have no declaration of their own.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// The place of a container by its (dotted) name; an invalid one if nothing is known of it.
MemoryPlace containerPlace(Instance &in, Name data);

/// The place of an access node; for a view, what that node looks at.
MemoryPlace placeOfNode(Instance &in, const ir::AccessNode &n);

/// The container that a memlet sees at one end of its path: that of the access node there, or a member of it.
MemoryPlace placeAt(Instance &in, const ir::Edge &e, const ir::AccessNode &end);

} // namespace sdfgc::tree::lowering
