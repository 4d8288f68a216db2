// Segments of loops: those that the user requests, and those that a memory limit requires.
#pragma once

#include "Transforms/Differentiate/Request.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms::gradient {

/// Numbers of iterations per segment: of the entire loop, then of each of its segments, and so on. Keys are labels or
/// variables of loops.
using Segments = std::map<Name, std::vector<int64_t>>;
/// The name that means all outermost loops that can be cut.
inline const Name allLoops("*");
/// Parses `t=100` or `t=1000/50+k=20`, with commas, blanks or `+` between loops. A number alone applies to all
/// outermost loops that can be cut. Returns nothing for other text.
std::optional<Segments> parseSegments(const std::string &text);

/// Cuts loops at the top level of an SDFG, as the pass cut-into-segments does. Returns false after an error: a loop does
/// not exist or cannot be cut.
bool cutIntoSegments(ir::SDFG &g, const Segments &segments, pass::Context &context);

/// Returns the outermost loops that can be cut.
std::vector<ir::LoopRegion *> loopsToCut(ir::SDFG &g);

/// Returns segments that keep the stored bytes below a limit, with as few loops and levels as possible: none if no
/// segments are needed, and the segments that store the least if the limit cannot be met. Differentiates copies of the
/// program to find out.
Segments segmentsFor(const MemoryLimit &limit, const ir::SDFG &g, const Request &request, const pass::Context &context);

} // namespace sdfgc::transforms::gradient
