// Makes legal graphs: they pass the verifier, write before they read, stay inside of their containers, and order whatever
// conflicts.
//
// That holds by construction, for all sizes that the program is made for (Index.h): a map writes elements through subscripts that
// differ from iteration to iteration, every transient is written completely before anything reads it, and what accesses a container
// in a state comes after what accessed it before. Results do not depend on an order that the graph leaves open, either: what is
// summed up is small whole numbers, so that every order of a sum gives the same bits.
#pragma once

#include "Index.h"

#include "../RandomNumbers.h"

#include <map>

namespace sdfgc::random {

using Random = test::RandomNumbers;

struct Flavour {
    bool gpu = false; // device memory and kernels in the graph itself
};

struct Generated {
    std::string text; // the graph in its text form
    std::vector<std::map<std::string, int64_t>> sizes;
    Flavour flavour;
};

/// The program of a seed.
Generated generate(uint64_t seed);

} // namespace sdfgc::random
