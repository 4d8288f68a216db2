// Loops over iterations of maps and over elements.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Adds a loop with a new variable that counts `count` steps from 0.
For &countingLoop(Instance &in, Name variable, sym::Expr count, Block &out);

/// Gives a loop the bounds `r` (over variables) and a new variable for the parameter of a map.
void setLoop(Instance &in, For &loop, Name parameter, const sym::Range &r);

/// Begin, end and step of a range in terms of variables, without its tile.
sym::Range boundsOf(const Instance &in, const sym::Range &r);

/// Constants for the parameters [first, last) of a map from the number of the iteration, the last one running fastest; declared at
/// the end of `out`, and what the symbols stand for.
void splitIndex(Instance &in, const ir::MapEntry &m, std::size_t first, std::size_t last, sym::Expr number, SymbolScope &symbols,
                Block &out);

} // namespace sdfgc::tree::lowering
