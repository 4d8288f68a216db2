// Shared by the inference of expressions and blocks and by the lowering.
#pragma once

#include "Tasklet/AstUtil.h"
#include "Tasklet/Functions.h"
#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py::detail {

/// Result type of a binary operator node with typed operands.
Type binaryType(const Expr &e, Semantics s);
/// The value of a literal, possibly with a sign, as a double.
std::optional<double> literalValue(const Expr &e);
/// The value of a literal after conversion to a type; nothing if the conversion does more than round a fraction.
std::optional<double> keptIn(Type t, double value);
/// Rewrites a call or operator of symbolic code, with typed operands, that rounds integer quotients or uses them in real
/// arithmetic, to use exact quotients. New nodes have no types yet. Null for anything else.
ExprRef exactQuotients(const Expr &e);
/// Is one a signed and the other an unsigned integer?
bool mixedSigns(Type a, Type b);
/// Is it `range(...)` with one to three arguments?
bool isRange(const Expr &e);
/// Collects constructs below e that have no meaning in C++ (see `unsupported`).
void collectUnsupported(const Expr &e, std::vector<TypeError> &errors);

} // namespace sdfgc::py::detail
