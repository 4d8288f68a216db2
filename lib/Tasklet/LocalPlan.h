// Where the C++ text of a block declares its locals.
//
// Python's locals live in the whole block, C++'s from their declaration to the end of the braces. Each local is declared in the
// innermost braces that hold all its uses, and there at its first assignment if that comes first, else in front of the statement
// that mentions it first. A loop body is entered only when it assigns the local before it reads it: otherwise a value lives from
// one turn to the next.
#pragma once

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py::detail {

struct LocalPlan {
    // Statements are numbered in the order of the text (a statement before what is nested in it).
    std::map<int, std::set<Name>> initialised; // the statement is the declaration: `T x = value;`, `auto [x, y] = value;`
    std::map<int, std::vector<Name>> before;   // `T x;` in front of the statement
    std::set<int> loops;                       // `for` statements that declare their variable
};

LocalPlan planLocals(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals);

/// Statements in the order of the text; the index is the number that LocalPlan uses.
std::vector<const Stmt *> inOrder(const std::vector<StmtRef> &block);
/// Whether name n occurs anywhere in the statement.
bool mentions(const Stmt &s, Name n);
bool mentions(const Expr &e, Name n);
/// Whether the block assigns n.
bool assigns(const std::vector<StmtRef> &block, Name n);

} // namespace sdfgc::py::detail
