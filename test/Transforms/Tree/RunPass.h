// Runs passes over trees by name, with the defaults of their options.
#pragma once

#include "../MakePass.h"
#include "Tree/Fixture.h"

namespace sdfgc::test {

/// Runs a pass over a module. Returns whether it reports a change.
inline bool runPass(Module &m, std::string_view name) {
    const std::unique_ptr<pass::Pass> pass = makePass(name);
    diag::Engine diags;
    const pass::CompileOptions options;
    pass::Context context(diags, options);
    auto *onTree = dynamic_cast<pass::TreePass *>(pass.get());
    REQUIRE(onTree);
    return onTree->run(m, context);
}

} // namespace sdfgc::test
