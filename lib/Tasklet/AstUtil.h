// Helpers over Tasklet trees, shared by several files of the library.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py::detail {

using ExprFn = std::function<ExprRef(const ExprRef &)>;

/// The node with f applied to its direct children; the same node if no child changed. Null children stay null.
ExprRef mapChildren(const ExprRef &e, const ExprFn &f);
/// The statement with f applied to its own expressions (not to nested blocks).
StmtRef mapExprs(const StmtRef &s, const ExprFn &f);

/// Calls f for each existing child, including keyword values.
void forEachChild(const Expr &e, const std::function<void(const Expr &)> &f);
/// Calls f for each expression of the statement itself (not of nested blocks); annotations are not values and are skipped.
void forEachExpr(const Stmt &s, const std::function<void(const Expr &)> &f);

ExprRef withType(const ExprRef &e, Type t);
ExprRef share(Expr e);

inline bool isName(const Expr &e, std::string_view text) { return e.kind == ExprKind::Name && e.name.view() == text; }
/// A name that Python code uses as a module: math, cmath, dace, np, numpy, builtins.
bool isModule(const Expr &e);
/// `a.b.c` for attributes of names, the name itself for names, empty for anything else.
std::string dottedName(const Expr &e);
/// The name in `x`, `x[i]`, `x.f`, `x[i].f`: the variable to which a store to the expression writes. Empty when there is none.
Name rootName(const Expr &e);
/// Int literal value, also of Neg(Int).
std::optional<int64_t> intValue(const Expr &e);

} // namespace sdfgc::py::detail
