// Intervals of expressions under assumptions.
#pragma once

#include "Symbolic/Polynomial.h"

#include <unordered_map>

namespace sdfgc::sym {

/// Exact numbers that bound a value; an absent side is unbounded.
struct Interval {
    std::optional<Num> lo, hi;
};

class Bounds {
public:
    explicit Bounds(const Assumptions &facts) : facts_(facts) {}
    Interval of(Expr e);
    bool isNonNegative(Expr e) { return atLeast(e, 0); }
    bool atLeast(Expr e, int64_t v);

private:
    Interval compute(Expr e);
    Interval symbol(Name name) const;
    Interval sum(Expr e);
    Interval product(Expr e);
    Interval power(Expr base, Expr exponent);
    Interval quotient(Expr e);
    Interval modulo(Expr a, Expr b);
    Interval magnitude(Expr a);
    Interval extremum(Expr e);
    Interval cast(Expr e);
    Interval bits(Expr e);

    const Assumptions &facts_;
    std::unordered_map<Expr, Interval> done_;
};

/// Order of exact values, not of truncated quotients.
Truth isExactlyLess(Expr a, Expr b, const Assumptions &facts = {});
Truth isExactlyLessEqual(Expr a, Expr b, const Assumptions &facts = {});

} // namespace sdfgc::sym
