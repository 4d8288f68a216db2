// Is a gradient right? It is compared with differences of the program's results, both in the interpreter.
#pragma once

#include "Driver/Session.h"

namespace sdfgc::driver {

struct GradientCheckOptions {
    std::vector<std::string> of, wrt;   // arguments
    std::string prefix;                 // of gradients
    bool forward = false;               // tangents, no gradients
    bool seedOne = false;               // the program itself sets the gradient of the result to one
    std::vector<std::string> arguments; // NAME=VALUE, as run takes them
    std::string otherwise;              // of others
    double eps = 0;                     // step of differences, relatively to the size of arguments; 0: the best of several
    int directions = 3;
    std::string file; // for diagnostics
};

/// Runs a program and the one that was made of it by differentiate, prints how far gradients (tangents) are from differences in random
/// directions and which element is worst, and reports an error where they differ.
void checkGradient(Session &session, const ir::SDFG &primal, const ir::SDFG &derivative, const GradientCheckOptions &options);

} // namespace sdfgc::driver
