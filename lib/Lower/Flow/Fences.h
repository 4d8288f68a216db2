// Fences in loops whose iterations store to the same elements.
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree::lowering {

/// A loop that got a fence.
struct Fenced {
    const Node *loop;
    Name variable;
};

/// Gives the loops of a function that C++ compilers could reorder wrongly a fence (sdfgc/Tree/Fence.h). Returns them in the order of the
/// text.
std::vector<Fenced> addFences(Function &f);

} // namespace sdfgc::tree::lowering
