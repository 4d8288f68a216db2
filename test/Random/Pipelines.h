// Pipelines of passes over graphs: those of the targets, and random ones in every order that levels allow.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::random {

struct Trial {
    pass::CompileOptions options;
    pass::Pipeline pipeline;
    std::string name() const { return options.target.name() + " -O" + optionText(options.optimize) + " " + pass::print(pipeline); }
};

const pass::Registry &registry();
/// The levels of the optimiser, from 0 on.
constexpr int levels = 4;
/// The passes of a target, up to the one that leaves the graph, at a level of the optimiser; read once.
const Trial &standardTrial(const std::string &target, int level);
/// Passes of the highest level in random order, some of them twice, with random options.
Trial randomTrial(const std::string &target, test::RandomNumbers &random);

} // namespace sdfgc::random
