// Ways over the statements of the schedule tree, and what can be done with any statement whatever its kind.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <functional>

namespace sdfgc::tree {

/// Calls `f` with the blocks of statements directly inside of a statement, in order; of a Block with itself. The write-backs of a
/// RawTasklet are no block.
void forEachBlock(Node &n, const std::function<void(Block &)> &f);
void forEachBlock(const Node &n, const std::function<void(const Block &)> &f);
/// Calls `f` with the references to memory in an expression, in order.
void forEachMemRef(const py::Expr &e, const std::function<void(RefId)> &f);
/// Calls `f` with the expressions of a statement of code, and with those of the statements inside of it.
void forEachExpr(const py::Stmt &s, const std::function<void(const py::Expr &)> &f);
/// Hands the references to memory in an expression, or in statements of code, to `f`, which may change them. The tree may be null.
void rebindMemory(py::ExprRef &e, const std::function<void(RefId &)> &f);
void rebindMemory(py::StmtRef &s, const std::function<void(RefId &)> &f);
/// Is there a statement of a kind in a block, however deep?
bool contains(const Block &b, Kind kind);
/// Is there a label among the statements of a block itself? A goto must not pass the initialisation of a variable.
bool hasLabel(const Block &b);
/// Moves all of `inserted` into `b` in front of position `at`; returns the position after them.
std::size_t insert(Block &b, std::size_t at, std::vector<NodePtr> inserted);

/// The origin of a statement of a function, else that of the nearest statement around it that has one; empty if none has.
std::vector<int> originOf(const Function &f, const Node &statement);

/// A copy of a statement and all inside of it, for the same function: it has the same variables and references.
NodePtr clone(const Node &n);
/// Makes a statement and all inside of it mention `other`, a variable of the same name, where it mentions `one`; references to `one`
/// are replaced by new ones.
void replaceVariable(Function &f, Node &n, VarId one, VarId other);
/// The word that begins the statement in text: `copy`.
std::string_view keyword(Kind kind);

/// Are two modules the same program? Fields of all statements are compared, variables and references by what they are, not by their
/// numbers. `difference`, when given, gets one line that names the first one found (`function f: copy: count`).
bool same(const Module &a, const Module &b, std::string *difference = nullptr);
/// Are two blocks of a function the same but for the numbers of variables that they declare?
bool same(const Function &f, const Block &a, const Block &b);

} // namespace sdfgc::tree
