// Places in a program, for the texts of remarks.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <string>

namespace sdfgc::nest {

/// Where a body accesses a container or a symbol; at most one member is set.
struct Site {
    const ir::Node *node = nullptr;   // of an access node: the copy to it
    const ir::Block *block = nullptr; // the condition of a conditional block, or the header of a loop
    const ir::Block *after = nullptr; // an assignment on the edge behind the block
};

/// `T_l680` (velocity.f90:680)`, `the condition of `if_3``; with the line of the user's program, if the graph has it. Empty if the
/// site is unknown.
std::string textOf(const Site &s);
/// The same for a block itself: `state `s` (velocity.f90:680)`.
std::string blockText(const ir::Block &b);

} // namespace sdfgc::nest
