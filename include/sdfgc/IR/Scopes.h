// Scope entries and their exits (format reference 6.1): found from the edges, never from stored hints.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::ir {

/// A node at which the scope structure of a state is broken, and what is wrong: `two exits close this scope`.
struct ScopeProblem {
    const Node *node = nullptr;
    std::string what;
};

/// The scope of every node of a state.
struct ScopeMap {
    /// By node id: the entry of the innermost scope around the node (of an entry: the one around it; of an exit: its own entry),
    /// null at the top level.
    std::vector<Node *> entry;
    /// By node id of an entry: its exit, null when it has none. By node id of an exit: itself.
    std::vector<Node *> exit;
    /// What is wrong, in node order; empty for a well-formed state. Cycles are reported at one node each state.
    std::vector<ScopeProblem> problems;
};

/// Computes the scopes of a state: a node is in the scope of its deepest predecessor, an entry opens a scope for its successors, an
/// exit closes the scope that it is in. Linear time, no recursion, total: malformed states give what can be found and their
/// problems. Node ids must be current (State::renumber).
ScopeMap findScopes(const State &s);

/// Sets MapEntry::exit, MapExit::entry and those of consume scopes from the edges; unpaired ones become null. Returns what it
/// found: the pairing is complete when there are no problems.
ScopeMap pairScopes(State &s);

} // namespace sdfgc::ir
