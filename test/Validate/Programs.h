// Graphs from text, for the tests of Validate.
#pragma once

#include "../Graphs.h"
#include "sdfgc/Validate/Validator.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

inline std::unique_ptr<ir::SDFG> graphOf(const std::string &text) {
    diag::Engine diags;
    auto graph = serialize::readText(text, "test.sdfgt", diags);
    REQUIRE(graph);
    return graph;
}

/// All inputs of a series.
inline std::vector<validate::Input> allInputs(const std::string &text, validate::InputOptions options = {}) {
    validate::InputMaker maker(*graphOf(text), options);
    std::vector<validate::Input> out;
    while (std::optional<validate::Input> one = maker.next())
        out.push_back(std::move(*one));
    return out;
}

} // namespace sdfgc::test
