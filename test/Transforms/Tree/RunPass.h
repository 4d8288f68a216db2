// Passes over trees, run by name with the defaults of their options.
#pragma once

#include "Tree/Fixture.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::test {

/// Runs a pass over a module. Returns whether it says that it changed anything.
inline bool runPass(Module &m, std::string_view name) {
    static const pass::Registry registry = [] {
        pass::Registry r;
        transforms::registerPasses(r);
        return r;
    }();
    const pass::PassInfo *info = registry.find(name);
    REQUIRE(info);
    std::unique_ptr<pass::Pass> pass = info->create();
    for (const pass::OptionInfo &option : info->options)
        pass->options.emplace(option.name, option.defaultValue);
    diag::Engine diags;
    const pass::CompileOptions options;
    pass::Context context(diags, options);
    auto *onTree = dynamic_cast<pass::TreePass *>(pass.get());
    REQUIRE(onTree);
    return onTree->run(m, context);
}

} // namespace sdfgc::test
