// Lowers the allocated SDFG to the schedule tree.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

/// Lowers an entire program. The graph must be at level Scheduled (copy and fill library nodes may remain) and is not
/// changed. Reports elements that cannot be lowered and returns null in that case.
std::unique_ptr<Module> lower(ir::SDFG &root, pass::Context &context);

} // namespace sdfgc::tree
