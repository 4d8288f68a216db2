// Walks over the statements of the schedule tree, and operations that work on any kind of statement.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <functional>

namespace sdfgc::tree {

/// Calls `f` for the blocks directly inside a statement, in order; for a Block, with itself. The write-backs of a
/// RawTasklet are not a block.
void forEachBlock(Node &n, const std::function<void(Block &)> &f);
void forEachBlock(const Node &n, const std::function<void(const Block &)> &f);
/// Calls `f` for the memory references in an expression, in order.
void forEachMemRef(const py::Expr &e, const std::function<void(RefId)> &f);
/// Calls `f` for the expressions of a code statement, including those of inner statements.
void forEachExpr(const py::Stmt &s, const std::function<void(const py::Expr &)> &f);
/// Passes the memory references in an expression, or in code statements, to `f`, which may change them. The tree may be
/// null.
void rebindMemory(py::ExprRef &e, const std::function<void(RefId &)> &f);
void rebindMemory(py::StmtRef &s, const std::function<void(RefId &)> &f);
/// Does a block contain a statement of a kind, at any depth?
bool contains(const Block &b, TreeKind kind);
/// Does a block directly contain a label? A goto must not jump over the initialisation of a variable.
bool hasLabel(const Block &b);
/// Moves all of `inserted` into `b` before position `at`; returns the position after them.
std::size_t insert(Block &b, std::size_t at, std::vector<NodePtr> inserted);

/// The origin of a statement of a function, else that of the nearest statement around it that has one; empty if none has.
std::vector<int> originOf(const Function &f, const Node &statement);

/// Returns a copy of a statement and its contents for the same function: it uses the same variables and references.
NodePtr clone(const Node &n);
/// Makes a statement and its contents use `other`, a variable with the same name, instead of `one`; references to `one`
/// are replaced with new ones.
void replaceVariable(Function &f, Node &n, VarId one, VarId other);
/// The first word of the statement in text form: `copy`.
std::string_view keyword(TreeKind kind);

/// Are two modules the same program? Compares the fields of all statements, and variables and references by value
/// rather than by number. `difference`, if given, receives a line that describes the first difference (`function f:
/// copy: count`).
bool same(const Module &a, const Module &b, std::string *difference = nullptr);
/// Are two blocks of a function the same but for the numbers of variables that they declare?
bool same(const Function &f, const Block &a, const Block &b);

} // namespace sdfgc::tree
