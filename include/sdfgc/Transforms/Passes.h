// The passes of this library: one factory each, from the table Passes.def (with LoopPasses.def, Gradients.def and TreePasses.def).
#pragma once

#include "sdfgc/Pass/Pass.h"

#include <memory>

namespace sdfgc::transforms {

#define SDFGC_PASS(Create, Name, Needs, Summary) std::unique_ptr<pass::Pass> Create();
#include "sdfgc/Transforms/Passes.def"
#undef SDFGC_PASS

/// Adds every pass of the table to the registry, in its order.
void registerPasses(pass::Registry &registry);

/// Returns the text of a pass for its page in docs/user/passes; empty for an unknown name.
std::string_view description(std::string_view pass);

} // namespace sdfgc::transforms
