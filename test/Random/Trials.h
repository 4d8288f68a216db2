// One graph against itself: as it stands, after every pass of several pipelines, and compiled.
#pragma once

#include "Damage.h"
#include "Inputs.h"
#include "Pipelines.h"

namespace sdfgc::random {

struct Subject {
    std::string text;         // of a graph, in any form that sdfgc reads
    std::vector<Sizes> sizes; // none: they are chosen, and sums are not exact
    uint64_t seed = 1;        // of inputs and pipelines
};

struct Plan {
    std::size_t pipelines = 2; // random ones
    std::size_t every =
        1; // of so many passes that change the graph it is executed after one, and at the end; all, where it differs
    bool compile = false;
    std::string folder;             // for what is compiled
    const Damage *damage = nullptr; // what a pass does wrong
};

struct Verdict {
    enum class Kind { Agree, Discarded, Finding } kind = Kind::Agree;
    std::string what; // why it was discarded, or what was found
    std::string pipeline, input;
};

Verdict judge(const Subject &subject, const Plan &plan);

} // namespace sdfgc::random
