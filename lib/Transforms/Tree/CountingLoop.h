// Loop regions that count up, as `for` loops do.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <optional>

namespace sdfgc::transforms {

/// `for (variable = begin; variable < end; variable = variable + step)`
struct CountingLoop {
    Name variable;
    py::ExprRef begin, end, step; // the step is an integer literal
    bool includesEnd = false;     // `variable <= end`

    bool countsByOne() const { return step->text == "1"; }
};

/// A loop region as such a loop; nothing for other loops. The body may change the variable.
std::optional<CountingLoop> countingLoopOf(const tree::Loop &l);

} // namespace sdfgc::transforms
