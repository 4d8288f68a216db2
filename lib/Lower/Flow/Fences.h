// Fences in loops whose iterations store to the same elements.
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree::lowering {

/// Gives the loops of a function that C++ compilers could reorder wrongly a fence (sdfgc/Tree/Fence.h). Returns their variables, in the order of
/// the text.
std::vector<Name> addFences(Function &f);

} // namespace sdfgc::tree::lowering
