// Scope entries and their exits (format reference 6.1), computed from the edges, never from stored hints.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::ir {

/// A node at which the scope structure of a state is broken, and the problem: `two exits close this scope`.
struct ScopeProblem {
    const Node *node = nullptr;
    std::string what;
};

/// The scope of every node of a state.
struct ScopeMap {
    /// Indexed by node id: the entry of the innermost scope around the node (for an entry, the scope around it; for an
    /// exit, its own entry); null at the top level.
    std::vector<Node *> entry;
    /// Indexed by the id of an entry: its exit, or null. By the id of an exit: the exit itself.
    std::vector<Node *> exit;
    /// The problems, in node order; empty for a well-formed state. Cycles are reported at one node per state.
    std::vector<ScopeProblem> problems;
};

/// Computes the scopes of a state: a node is in the scope of its deepest predecessor, an entry opens a scope for its
/// successors, and an exit closes the scope that it is in. Linear time, no recursion, total: for malformed states it
/// returns what can be determined, and the problems. Node ids must be current (State::renumber).
ScopeMap findScopes(const State &s);

/// Sets MapEntry::exit, MapExit::entry and their counterparts in consume scopes from the edges; unpaired ones become
/// null. Returns the scopes: the pairing is complete if there are no problems.
ScopeMap pairScopes(State &s);

} // namespace sdfgc::ir
