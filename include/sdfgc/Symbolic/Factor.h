// Polynomials as products. The canonical form multiplies sums out, so that equal sizes are one expression; a person wants to read
// `(N - 2) * (N - 2)`. What was multiplied out is a product of sizes of ranges, which are of first degree: those factors are found
// exactly, from the polynomial alone, so that the same expression is always printed the same way.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

#include <vector>

namespace sdfgc::sym {

/// Factors whose product is `e`: an integer other than 1, then symbols and opaque terms, then sums, each in the order of
/// Expr::compare, repeated as often as they occur. Only `e` itself where it is no polynomial with integer coefficients, has fewer
/// than three terms or is very large. A sum among the factors has none of lower degree that is of first degree in some variable.
std::vector<Expr> factors(Expr e);

} // namespace sdfgc::sym
