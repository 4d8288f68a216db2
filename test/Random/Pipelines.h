// Pipelines of passes over graphs: those of the targets, and random ones in every order that levels allow.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::random {

struct Trial {
    pass::CompileOptions options;
    pass::Pipeline pipeline;
    std::string name() const { return options.target + " " + pass::print(pipeline); }
};

const pass::Registry &registry();
/// The passes of a target up to the one that leaves the graph; read once.
const Trial &standardTrial(const std::string &target);
/// Passes in random order, some of them twice, with random options.
Trial randomTrial(const std::string &target, test::RandomNumbers &random);

} // namespace sdfgc::random
