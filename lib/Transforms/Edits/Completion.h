// Completes elements of typed graphs, for the passes that type a graph and for those that add elements to one.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Replaces `Default` schedules and storages by the rules of default-schedules. Returns whether anything changed.
bool decideDefaults(ir::SDFG &root, pass::Context &context);
/// Types symbols and connectors that have no type, by the rules of infer-types. Returns whether anything changed.
bool inferTypes(ir::SDFG &root, pass::Context &context);

} // namespace sdfgc::transforms
