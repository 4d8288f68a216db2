// What nested SDFGs access of their arguments.
#pragma once

#include "sdfgc/Nest/CallBlocks.h"

namespace sdfgc::nest {

/// Sets Use::elements of a step of an SDFG whose only node is a nested SDFG, where its blocks are few and can be read
/// (readCall). Indices with values that only the nested SDFG knows may be any.
void nameElements(Step &call, ir::SDFG &g, analysis::Memories &memories);
/// The same for a step that calls part of the body of a loop over `variable`, which has been read.
void nameElements(Step &call, Name variable, const Stretch &part, const LoopBody &body, const ir::SDFG &g);

} // namespace sdfgc::nest
