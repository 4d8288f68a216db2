// Views: places that other containers have under another shape.
//
// A view is no variable but another place in the same one, unless it sees elements of another type: then it is a pointer. Each
// access node of a view may look at something else, so views are resolved where a scope begins, for the nodes directly in it.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Finds what the views among the nodes look at; pointers that this needs are declared at the end of `out`.
void resolveViews(Instance &in, const std::vector<ir::Node *> &nodes, Block &out);

/// What one access node of a view looks at, an invalid place if it is connected to nothing. Views that it looks through are
/// resolved with it. The view has this place until another of its nodes is resolved.
MemoryPlace resolveView(Instance &in, ir::AccessNode &n, Block &out);

} // namespace sdfgc::tree::lowering
