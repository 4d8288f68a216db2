// One expander per row of LibraryNodes.def.
#pragma once

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::libnodes {

#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary)                                                            \
    bool Expander(ir::State &state, ir::LibraryNode &node, pass::Context &context);
#define SDFGC_LIBRARY_NODE_REFUSED(Class, Library, Reason, Summary)
#include "sdfgc/LibraryNodes/LibraryNodes.def"
#undef SDFGC_LIBRARY_NODE
#undef SDFGC_LIBRARY_NODE_REFUSED

} // namespace sdfgc::libnodes
