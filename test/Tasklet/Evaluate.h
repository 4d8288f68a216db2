// Tasklet blocks executed by the interpreter for many points at once.
#pragma once

#include "sdfgc/Tasklet/Derivatives.h"

namespace sdfgc::py::test {

/// Values of a connector, `width` of them for each point; a connector with more than one is used with subscripts.
struct Column {
    std::vector<double> values;
    std::size_t width = 1;
};
using Columns = std::map<Name, Column>;

/// Runs the block for `points` points. `outputs` contain their initial values and return their final values. All are of type `t`,
/// float64 or float32.
void evaluate(const std::vector<StmtRef> &block, const Columns &inputs, Columns &outputs, std::size_t points, Type t);

} // namespace sdfgc::py::test
