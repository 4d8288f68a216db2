// Pass pipelines: those of the targets, and random ones in every order that levels permit.
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
/// The levels of the optimiser, starting with 0.
constexpr int levels = 4;
/// The passes of a target at an optimiser level, up to the one that leaves the graph form; read once.
const Trial &standardTrial(const std::string &target, int level);
/// Passes of the highest level in random order, some of them twice, with random options.
Trial randomTrial(const std::string &target, test::RandomNumbers &random);

} // namespace sdfgc::random
