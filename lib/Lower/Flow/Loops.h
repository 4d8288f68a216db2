// Loops over iterations of maps and over elements.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Adds a loop whose new variable counts `count` steps from 0.
For &countingLoop(Instance &in, Name variable, sym::Expr count, Block &out);

/// Sets the bounds of a loop to `r` (over variables) and creates its variable, for a map parameter.
void setLoop(Instance &in, For &loop, Name parameter, const sym::Range &r);

/// Begin, end and step of a range in terms of variables, without its tile.
sym::Range boundsOf(const Instance &in, const sym::Range &r);

/// Declares constants for the parameters [first, last) of a map at the end of `out`, computed from the index of the iteration with
/// the last parameter varying fastest, and binds the parameters' symbols to them.
void splitIndex(Instance &in, const ir::MapEntry &m, std::size_t first, std::size_t last, sym::Expr number, SymbolScope &symbols,
                Block &out);

} // namespace sdfgc::tree::lowering
