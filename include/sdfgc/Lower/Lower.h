// From the allocated SDFG to the schedule tree.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

/// Lowers a whole program. The graph must be at level Scheduled (copy and fill library nodes may be left) and is not changed. What
/// cannot be lowered is reported with its element; returns null then.
std::unique_ptr<Module> lower(ir::SDFG &root, pass::Context &context);

} // namespace sdfgc::tree
