// Where a program ends and its gradient begins, for the pass separate, which leaves one of them.
#pragma once

#include "Transforms/Differentiate/Request.h"

namespace sdfgc::transforms::gradient {

/// Two empty states, one after the other.
struct Seam {
    ir::State *end = nullptr, *begin = nullptr;
};
/// Puts them in front of a block, or, if that is null, at the end of the program, and marks them. `scratch` is no part of the program.
Seam placeSeam(ir::Block *b, ir::SDFG &g, const ir::State &scratch);

} // namespace sdfgc::transforms::gradient
