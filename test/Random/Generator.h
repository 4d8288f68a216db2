// Generates valid graphs: they pass the verifier, write before they read, stay inside of their containers, and order all
// conflicting accesses.
//
// This holds by construction, for all sizes for which the program is generated (Index.h): a map writes elements through subscripts
// that differ between iterations, every transient is written completely before it is read, and within a state, conflicting accesses
// to a container are ordered. Results also do not depend on an order that the graph leaves open: only small integers are summed up,
// so that every order of a sum gives bitwise identical results.
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
    std::string text; // the graph in text form
    std::vector<std::map<std::string, int64_t>> sizes;
    Flavour flavour;
};

/// The program for a seed.
Generated generate(uint64_t seed);

} // namespace sdfgc::random
