// Decides where the C++ text of a block declares its locals.
//
// Python's locals live in the entire block, C++'s from their declaration to the closing brace. Each local is declared in the
// innermost braces that hold all its uses: at its first assignment if that comes first, otherwise before the first statement that
// mentions it. A declaration enters a loop body only if the body assigns the local before reading it; otherwise values carry over
// to the next iteration.
#pragma once

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py::detail {

struct LocalPlan {
    // Statements are numbered in textual order (a statement before those nested in it).
    std::map<int, std::set<Name>> initialised; // the statement is the declaration: `T x = value;`, `auto [x, y] = value;`
    std::map<int, std::vector<Name>> before;   // `T x;` before the statement
    std::set<int> loops;                       // `for` statements that declare their variable
};

LocalPlan planLocals(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals);

/// Statements in textual order; the index is the number that LocalPlan uses.
std::vector<const Stmt *> inOrder(const std::vector<StmtRef> &block);
/// Whether name n occurs anywhere in the statement.
bool mentions(const Stmt &s, Name n);
bool mentions(const Expr &e, Name n);
/// Whether the block assigns n.
bool assigns(const std::vector<StmtRef> &block, Name n);

} // namespace sdfgc::py::detail
