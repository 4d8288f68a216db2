// Factorises polynomials. The canonical form expands products, so that equal sizes are one expression, but a person
// wants to read `(N - 2) * (N - 2)`. The expanded products are products of sizes of ranges, whose factors are of first
// degree. These are found exactly, from the polynomial alone, so an expression is always printed in the same way.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

#include <vector>

namespace sdfgc::sym {

/// Returns factors whose product is `e`: an integer other than 1, then symbols and opaque terms, then sums, each group
/// in the order of Expr::compare, repeated by multiplicity. Returns only `e` itself if it is not a polynomial with
/// integer coefficients, has fewer than three terms, or is very large. No sum among the factors has a factor of lower
/// degree that is of first degree in some variable.
std::vector<Expr> factors(Expr e);

} // namespace sdfgc::sym
