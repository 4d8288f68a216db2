// Compares a graph with itself: unchanged, after every pass of several pipelines, and compiled.
#pragma once

#include "Damage.h"
#include "Inputs.h"
#include "Pipelines.h"

namespace sdfgc::random {

struct Subject {
    std::string text;         // of a graph, in any form that sdfgc reads
    std::vector<Sizes> sizes; // none: they are chosen, and sums are inexact
    uint64_t seed = 1;        // for inputs and pipelines
};

struct Plan {
    std::size_t pipelines = 2; // random ones
    std::size_t every =
        1; // the graph is executed after every n-th pass that changes it, and at the end; after all, if results differ
    bool compile = false;
    std::string folder;             // for compiled programs
    const Damage *damage = nullptr; // the simulated error of a pass
};

struct Verdict {
    enum class Kind { Agree, Discarded, Finding } kind = Kind::Agree;
    std::string what; // the reason for which it was discarded, or the finding
    std::string pipeline, input;
};

Verdict judge(const Subject &subject, const Plan &plan);

} // namespace sdfgc::random
