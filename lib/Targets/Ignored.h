// Requests of a graph that a compilation ignores, so that nothing is ignored silently.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::targets {

/// Warns of instrumentation that has no effect (SD6023) and of locations that have no effect (SD6022): once per word, at its first
/// element, with the number of others.
void reportIgnored(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags);

} // namespace sdfgc::targets
