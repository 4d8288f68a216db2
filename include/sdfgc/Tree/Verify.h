// The rules of schedule trees (docs/user/tree-text.md, "What must hold").
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

/// Checks a module against the rules SD2151 to SD2166 and reports every violation; returns true if there is none.
/// Linear in the module, except for functions with many labels.
bool verify(const Module &m, diag::Engine &diagnostics);

} // namespace sdfgc::tree
