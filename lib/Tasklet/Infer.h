// Shared by the inference of expressions, of blocks, and by the lowering.
#pragma once

#include "Tasklet/AstUtil.h"
#include "Tasklet/Functions.h"
#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py::detail {

/// Result type of a binary operator node whose operands have types.
Type binaryType(const Expr &e, Semantics s);
/// A literal, also after a sign: its value as double.
std::optional<double> literalValue(const Expr &e);
/// The number that a literal is in a type that it is converted to; nothing where the conversion changes it, other than by rounding a
/// fraction.
std::optional<double> keptIn(Type t, double value);
/// A call or operator of symbolic code, with typed operands, that rounds quotients of integers or computes with them in real numbers:
/// the same with exact quotients, its new nodes without types. Null for all else.
ExprRef exactQuotients(const Expr &e);
/// One is a signed and the other an unsigned integer.
bool mixedSigns(Type a, Type b);
/// True for `range(...)` with one to three arguments.
bool isRange(const Expr &e);
/// Finds constructs without meaning in C++ below e (see `unsupported`).
void collectUnsupported(const Expr &e, std::vector<TypeError> &errors);

} // namespace sdfgc::py::detail
