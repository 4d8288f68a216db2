// Checks gradients. A gradient is compared with differences of the program's results, both computed by the interpreter.
#pragma once

#include "Driver/Session.h"

namespace sdfgc::driver {

struct GradientCheckOptions {
    std::vector<std::string> of, wrt;   // arguments
    std::string prefix;                 // of gradients
    bool forward = false;               // tangents instead of gradients
    bool seedOne = false;               // the program itself sets the gradient of the result to one
    std::vector<std::string> arguments; // NAME=VALUE, as accepted by run
    std::string otherwise;              // value of other arguments
    double eps = 0;                     // step of differences, relative to the size of arguments; 0: the best of several
    int directions = 3;
    std::string file; // for diagnostics
};

/// Runs a program and its derivative, prints the distance between gradients (or tangents) and differences in random directions and
/// the worst element, and reports an error if they disagree.
void checkGradient(Session &session, const ir::SDFG &primal, const ir::SDFG &derivative, const GradientCheckOptions &options);

} // namespace sdfgc::driver
