// Splits a program in two: the first computes the results and stores what the second one, the gradient, needs.
//
//     f:   forward, tapes; gradients     ->     f_forward: forward, tapes      f_backward: gradients
//
// Both are made from the combined program by leaving out one part. Everything that the second part reads from the first
// becomes an argument of both: arrays under their own names, scalars and symbols as arrays of one element.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// The boundary between the parts: two consecutive empty states.
struct Seam {
    ir::State *end = nullptr, *begin = nullptr;
};
/// Inserts the boundary before a block or, if that is null, at the end of a program whose blocks form a chain.
Seam seamBefore(ir::Block *b, ir::SDFG &g);

/// Keeps the requested part of a program with its gradient. All runs must have been written. Returns false after an
/// error.
bool separate(ir::SDFG &g, const Seam &seam, const Request &request, const Maker &maker, pass::Context &context);

} // namespace sdfgc::transforms::gradient
