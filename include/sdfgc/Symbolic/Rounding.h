// Quotients where an integer is required.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

namespace sdfgc::sym {

/// Returns the index for a bound of a range: quotients of integers, including those in a minimum or maximum, are
/// rounded down; anything else is unchanged. A map over `0:N/2` has the last index `N/2 - 1`, which is -1/2 for N = 1
/// and must not become 0.
Expr roundedDown(Expr e);

/// Converts whole floating-point numbers in a size, bound, index or stride to integers, and fractions of these to
/// quotients: `2.0**s` is 2**s, `0.5*N` is N/2. Arguments of real-valued functions are unchanged.
Expr inIntegers(Expr e);

/// Returns the smallest part of a size, bound, index or stride that is not an integer: a real constant or function,
/// unless something rounds it. `isReal` tells which symbols are real numbers.
std::optional<Expr> realPart(Expr e, const std::function<bool(Name)> &isReal = nullptr);

/// Is it a real-valued function of C++'s <cmath>?
bool isRealFunction(Name function);

/// `coefficient * base**exponent * rest`, where the coefficient has no factor `base`: 24 * 2**i is 3 * 2**(i + 3),
/// which is an integer for i = -3 as well.
struct ScaledPower {
    int64_t coefficient;
    int64_t base;
    Expr exponent, rest;
};
/// Returns nothing if a product has no such power, or no such factor in its coefficient.
std::optional<ScaledPower> scaledPower(Expr product);

} // namespace sdfgc::sym
