// Arguments that every call of a function uses.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <set>

namespace sdfgc::tree {

/// Returns the parameter variables of a function that each call uses: those mentioned in statements that no condition
/// skips. Loops are assumed to run, and kernel bodies to run on all threads. Conservative after a jump.
std::set<Name> certainlyUsed(const Module &module, const Function &function);

} // namespace sdfgc::tree
