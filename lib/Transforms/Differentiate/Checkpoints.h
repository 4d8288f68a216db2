// Checkpointing: cuts loops into segments that are recomputed for their gradient, which stores less and computes more.
//
//                                              for s = 0; s < int_ceil(T, 10); s = s + 1 {
//     for t = 0; t < T; t = t + 1 {              nested segment: u, s, T -> u  {
//       u = f(u)                      ->           for t = 10*s; t < min(T, 10*s + 10); t = t + 1 {
//     }                                              u = f(u)
//                                              } } }
//
// The gradient of a nested SDFG first recomputes its values for itself, then its gradient (Nested.cpp). So data that a
// segment reads and overwrites are stored once per segment, as a checkpoint, and values that iterations need are stored
// for one segment at a time. For T iterations that need B bytes each, and S bytes passed between iterations, tapes take
// S*T/10 + 10*B bytes instead of T*B, and each iteration runs one more time. Segments can be nested: then the
// checkpoints of all levels exist at once, and each level runs every iteration one more time.
//
// Binomial checkpointing (Griewank and Walther's revolve) stores slightly less for the same number of repeated
// iterations, but needs the trip count when the schedule is made. Here sizes remain formulas over symbols, and each
// tape is an ordinary array.
#pragma once

#include "Transforms/Differentiate/Items.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms::gradient {

/// Numbers of iterations per segment: of the entire loop, then of each of its segments, and so on. Keys are labels or
/// variables of loops.
using Segments = std::map<Name, std::vector<int64_t>>;
/// Parses `t=100` or `t=1000/50+k=20`, with commas, blanks or `+` between loops. A number alone applies to all
/// outermost loops that can be cut. Returns nothing for other text.
std::optional<Segments> parseSegments(const std::string &text);

/// Cuts loops at the top level of an SDFG. Returns false after an error: a loop does not exist or cannot be cut.
bool cutIntoSegments(ir::SDFG &g, const Segments &segments, pass::Context &context);

/// Returns segments that keep the stored bytes below a limit, with as few loops and levels as possible: none if no
/// segments are needed, and the segments that store the least if the limit cannot be met. Differentiates copies of the
/// program to find out.
Segments segmentsFor(const MemoryLimit &limit, const ir::SDFG &g, const Request &request, pass::Context &context);

} // namespace sdfgc::transforms::gradient
