// Schedule trees parsed from text.
#pragma once

#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Walk.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

/// The module that a text describes; the text must be valid.
inline std::unique_ptr<tree::Module> parsed(const std::string &text) {
    diag::Engine diagnostics;
    auto m = tree::parse(text, "test.sdfgtree", diagnostics);
    for (const diag::Diagnostic &d : diagnostics.all())
        FAIL(text << "\n" << d.place.line << ":" << d.place.column << ": " << d.message);
    REQUIRE(m);
    return m;
}

} // namespace sdfgc::test
