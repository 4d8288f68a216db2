// Fences in loops whose iterations store to the same elements.
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree::lowering {

/// A loop that got a fence.
struct Fenced {
    const Node *loop;
    Name variable;
};

/// Adds a fence to each loop of a function that C++ compilers could reorder incorrectly (sdfgc/Tree/Fence.h). Returns these loops
/// in textual order.
std::vector<Fenced> addFences(Function &f);

} // namespace sdfgc::tree::lowering
