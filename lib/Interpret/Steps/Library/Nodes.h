// The library nodes that the interpreter executes: one function each, grouped by family.
#pragma once

#include "Elements.h"

namespace sdfgc::interpret {

#define SDFGC_LIBRARY_NODE_INTERPRETER(Maker) std::unique_ptr<NodeStep> Maker(NodeReader &r);
#include "sdfgc/Analysis/LibraryNodes.def"

// What passes add: copies, fills, and nodes to order streams and to allocate.
std::unique_ptr<NodeStep> makeCopy(NodeReader &r);
std::unique_ptr<NodeStep> makeFill(NodeReader &r);
std::unique_ptr<NodeStep> makeAsync(NodeReader &r);

} // namespace sdfgc::interpret
