// The boundary between a program and its gradient, for the pass separate, which keeps one of them.
#pragma once

#include "Transforms/Differentiate/Request.h"

namespace sdfgc::transforms::gradient {

/// Two consecutive empty states.
struct Seam {
    ir::State *end = nullptr, *begin = nullptr;
};
/// Inserts them before a block or, if that is null, at the end of the program, and marks them. `scratch` is not part of the
/// program.
Seam placeSeam(ir::Block *b, ir::SDFG &g, const ir::State &scratch);

} // namespace sdfgc::transforms::gradient
