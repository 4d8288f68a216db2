// Passes by name, with the defaults of their options.
#pragma once

#include "sdfgc/Transforms/Passes.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

inline std::unique_ptr<pass::Pass> makePass(std::string_view name) {
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
    return pass;
}

} // namespace sdfgc::test
