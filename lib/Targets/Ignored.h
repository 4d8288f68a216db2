// What a graph asks for and a compilation leaves out, so that nothing is left out in silence.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::targets {

/// Warns of instrumentation that measures nothing (SD6023) and of locations that place nothing (SD6022): once for each word, at the
/// first element that has it, with the number of the others.
void reportIgnored(ir::SDFG &graph, const pass::CompileOptions &compile, diag::Engine &diags);

} // namespace sdfgc::targets
