// What a typed graph has of every element: for the passes that give it, and for those that add elements to a typed graph.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Replaces `Default` in schedules and storages, as default-schedules does. Returns whether anything changed.
bool decideDefaults(ir::SDFG &root, pass::Context &context);
/// Gives symbols and connectors types where they have none, as infer-types does. Returns whether anything changed.
bool inferTypes(ir::SDFG &root, pass::Context &context);

} // namespace sdfgc::transforms
