// One program of two: the first computes the results and stores what the second one, the gradient, needs.
//
//     f:   forward, tapes; gradients     ->     f_forward: forward, tapes      f_backward: gradients
//
// Both are made from the program that does both, by leaving out one part. What the second part reads of what the first one made becomes an argument
// of both: arrays under their own names, scalars and symbols as arrays of one element.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Where one part ends and the other one begins: two empty states, one after the other.
struct Seam {
    ir::State *end = nullptr, *begin = nullptr;
};
/// Puts them in front of a block, or, if that is null, at the end of a program whose blocks are a chain.
Seam seamBefore(ir::Block *b, ir::SDFG &g);

/// Leaves one part of a program with its gradient, as the request says. All runs must have been written. False after an error.
bool separate(ir::SDFG &g, const Seam &seam, const Request &request, const Maker &maker, pass::Context &context);

} // namespace sdfgc::transforms::gradient
