// Requests of a graph that a compilation ignores, so that nothing is ignored silently.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::targets {

/// Warns of locations (SD6022) and of instrumentation of symbols (SD6023) that have no effect. The pass `place-measurements` warns of
/// other instrumentation.
void reportIgnored(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags);

} // namespace sdfgc::targets
