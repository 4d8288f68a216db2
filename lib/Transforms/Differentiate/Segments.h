// Segments of loops: what the user asks for, and what a limit of memory takes.
#pragma once

#include "Transforms/Differentiate/Request.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms::gradient {

/// How many iterations the segments of loops have: of the whole loop, of each of its segments, and so on. By labels or variables of loops.
using Segments = std::map<Name, std::vector<int64_t>>;
/// Stands for all outermost loops that can be cut.
inline const Name allLoops("*");
/// Reads `t=100`, `t=1000/50+k=20`, with commas, blanks or `+` between loops; a number alone is for all outermost loops that can be cut. Nothing
/// if it is of another form.
std::optional<Segments> parseSegments(const std::string &text);

/// Cuts loops of an SDFG itself (the pass cut-into-segments). False after an error: there is no such loop, or it cannot be cut.
bool cutIntoSegments(ir::SDFG &g, const Segments &segments, pass::Context &context);

/// Outermost loops that can be cut.
std::vector<ir::LoopRegion *> loopsToCut(ir::SDFG &g);

/// Segments with which a gradient stores no more than a limit: of as few loops, on as few levels, as that takes. None if it is kept without;
/// those with which least is stored if it cannot be kept. The program is differentiated to find out, as a copy.
Segments segmentsFor(const MemoryLimit &limit, const ir::SDFG &g, const Request &request, const pass::Context &context);

} // namespace sdfgc::transforms::gradient
