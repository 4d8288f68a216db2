// Loops in segments, each of which is computed once more for its gradient: less is stored, and more is computed.
//
//                                              for s = 0; s < int_ceil(T, 10); s = s + 1 {
//     for t = 0; t < T; t = t + 1 {              nested segment: u, s, T -> u  {
//       u = f(u)                      ->           for t = 10*s; t < min(T, 10*s + 10); t = t + 1 {
//     }                                              u = f(u)
//                                              } } }
//
// The gradient of a nested SDFG is one that computes what it did once more, for itself, and then its gradient (Nested.cpp). So what the
// segment reads and overwrites is stored once per segment, a checkpoint; and what iterations need is stored for one segment at a time. For
// T iterations of B bytes each, and S bytes of what iterations hand on, tapes have S*T/10 + 10*B bytes in place of T*B; each iteration runs once
// more. A segment can be cut into segments again, in which case there are as many checkpoints at a time as on all levels together, and each
// level lets iterations run once more.
//
// Binomial checkpoints (Griewank and Walther's revolve) store a little less for as many repeated iterations, where the number of iterations is
// known when the schedule is made. Here sizes stay formulas of symbols, and what is stored is an array like any other.
#pragma once

#include "Transforms/Differentiate/Items.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms::gradient {

/// How many iterations the segments of loops have: of the whole loop, of each of its segments, and so on. By labels or variables of loops.
using Segments = std::map<Name, std::vector<int64_t>>;
/// Reads `t=100`, `t=1000/50+k=20`, with commas, blanks or `+` between loops; a number alone is for all outermost loops that can be cut. Nothing
/// if it is of another form.
std::optional<Segments> parseSegments(const std::string &text);

/// Cuts loops of an SDFG itself. False after an error: there is no such loop, or it cannot be cut.
bool cutIntoSegments(ir::SDFG &g, const Segments &segments, pass::Context &context);

/// Segments with which a gradient stores no more than a limit: of as few loops, on as few levels, as that takes. None if it is kept without;
/// those with which least is stored if it cannot be kept. The program is differentiated to find out, as a copy.
Segments segmentsFor(const MemoryLimit &limit, const ir::SDFG &g, const Request &request, pass::Context &context);

} // namespace sdfgc::transforms::gradient
