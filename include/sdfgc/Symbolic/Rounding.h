// Quotients where an integer is needed.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

namespace sdfgc::sym {

/// The index that a bound of a range is: a quotient of integers rounded down, also one in a minimum or maximum; anything else itself.
/// A map over `0:N/2` has the last index `N/2 - 1`, which is -1/2 for N = 1: it must not become 0.
Expr roundedDown(Expr e);

/// What a size, bound, index or stride says in integers, where it says it in floating-point numbers that are whole, or fractions of whole
/// numbers: `2.0**s` is 2**s, `0.5*N` is N/2. Arguments of functions of real numbers stay what they are.
Expr inIntegers(Expr e);

/// The smallest part of a size, bound, index or stride for which no integer stands: a real constant or function, unless something rounds
/// it. `isReal` says which symbols hold real numbers.
std::optional<Expr> realPart(Expr e, const std::function<bool(Name)> &isReal = nullptr);

/// A function of real numbers, as C++'s <cmath> has it.
bool isRealFunction(Name function);

/// `coefficient * base**exponent * rest`, the coefficient without a factor `base`: 24 * 2**i is 3 * 2**(i + 3), which is whole for
/// i = -3 as well.
struct ScaledPower {
    int64_t coefficient;
    int64_t base;
    Expr exponent, rest;
};
/// Nothing where a product has no such power, or no such factor in its coefficient.
std::optional<ScaledPower> scaledPower(Expr product);

} // namespace sdfgc::sym
