// Which arguments every call of a function uses.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <set>

namespace sdfgc::tree {

/// The variables of the parameters of a function that each of its calls uses: those that some statement mentions that no condition
/// leaves out. Loops count as if they ran, and the bodies of kernels as if no thread was left out. A subset after a jump.
std::set<Name> certainlyUsed(const Module &module, const Function &function);

} // namespace sdfgc::tree
