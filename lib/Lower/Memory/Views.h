// Views: places of other containers under another shape.
//
// A view is not a variable but another place in the same one, unless its elements have another type: then it is a pointer. Each
// access node of a view may view something else, so views are resolved at the start of a scope, for the nodes directly in it.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Declares a pointer for a view, or a container of a nested SDFG, with another element type, or for elements that are themselves
/// pointers. Returns its place in `inner`.
MemoryPlace pointerView(Instance &in, const Instance &inner, Name name, const ir::DataDesc &d, const MemoryPlace &base,
                        sym::Expr start, Block &out);

/// Resolves the views among the nodes; pointers needed for this are declared at the end of `out`.
void resolveViews(Instance &in, const std::vector<ir::Node *> &nodes, Block &out);

/// The place viewed by one access node of a view; an invalid place if it is not connected. Views in between are resolved with it.
/// The view has this place until another of its nodes is resolved.
MemoryPlace resolveView(Instance &in, ir::AccessNode &n, Block &out);

} // namespace sdfgc::tree::lowering
