// Locations of elements in a user's program, for remarks.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// Returns the location of an element, or of the nearest one around it that has one. DaCe gives elements that it adds itself lines
/// of its own sources; these do not count.
diag::SourceLoc userSource(const ir::Block &b);
diag::SourceLoc userSource(const ir::Node &n);
/// The same for an edge: that of the memlet, or else that of the edge's ends.
diag::SourceLoc userSource(const ir::Edge &e);
diag::SourceLoc userSource(const ir::InterstateEdge &e, const ir::Region &r);
diag::SourceLoc userSource(const ir::SDFG &g, Name container);

} // namespace sdfgc::analysis
