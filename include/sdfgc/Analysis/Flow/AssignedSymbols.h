// Symbols that edges and loops assign.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// Symbols that edges and loops inside a block assign, at any depth, including the variable of a loop itself. Empty for
/// states.
std::set<Name> assignedIn(const ir::Block &b);
/// The same inside a region: if the region is a loop, its own variable counts only if the body assigns it.
std::set<Name> assignedInside(const ir::Region &r);
/// Symbols that are assigned exactly once, by an edge outside loops, and not passed by the caller: their value never
/// changes.
std::set<Name> assignedOnce(const ir::SDFG &g);
/// Symbols that a block reads, at any depth, whatever assigns them; conditions of branches do not count.
std::set<Name> readIn(const ir::Block &b);

/// Is it a function of the caller, which may have side effects and return a different result each time?
bool isCallback(const ir::SDFG &g, Name n);
/// Returns such a function that control flow in a block calls, in loop headers, conditions and edges at any depth,
/// excluding nested SDFGs; empty if there is none.
Name callbackIn(const ir::Block &b);

} // namespace sdfgc::analysis
