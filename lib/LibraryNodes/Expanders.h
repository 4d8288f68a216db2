// One expander per row of LibraryNodes.def.
#pragma once

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::libnodes {

#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary)                                                     \
    bool Expander(ir::State &state, ir::LibraryNode &node, pass::Context &context);
#include "sdfgc/Analysis/LibraryNodes.def"

} // namespace sdfgc::libnodes
