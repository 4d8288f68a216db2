// New functions of a module, in front of those that call them.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <memory>
#include <vector>

namespace sdfgc::transforms {

/// Each function in the list `added` goes in front of the function that calls it: `before[i]` of them in front of function i or an
/// earlier one. Calls and launches name functions by the numbers that they have so far, added ones after all others; they get the new
/// numbers, and functions that call one with the program's state take it as well.
void insertFunctions(tree::Module &m, std::vector<std::unique_ptr<tree::Function>> added, const std::vector<std::size_t> &before);

} // namespace sdfgc::transforms
