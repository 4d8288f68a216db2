// Sizes that are known before a part of a program runs: integer formulas over symbols and contents of containers, with
// sums and maxima over ranges.
//
//     SumOver(i, 0, R, max(len[i], 0))          the sum over i = 0 ... R-1
//     MaxOver(i, 0, R, max(len[i], 0))          the maximum
//
// An empty range gives 0. A binder is an opaque term of the formula: no difference, quotient or Select moves into or
// out of one (max f - max g is not max (f - g)). A closed form replaces the binder if it is equal for all values: sums
// of polynomials, maxima at an end of a range.
//
// Formulas are values; they are equal if they are the same up to names of bound variables. Internally, a binder is a
// call in a sym::Expr whose variable has a name that depends only on the nesting depth (`#1` for the innermost), so
// sym's arithmetic and interning apply to formulas as well.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Result.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace sdfgc::analysis {

class SizeExpr {
public:
    /// 0.
    SizeExpr() = default;
    SizeExpr(int v) : tree_(v) {}
    SizeExpr(int64_t v) : tree_(v) {}
    /// A formula without binders. `K[i]` reads a container.
    SizeExpr(sym::Expr e) : tree_(e) {}

    friend bool operator==(const SizeExpr &, const SizeExpr &) = default;
    friend SizeExpr operator+(const SizeExpr &a, const SizeExpr &b) { return a.tree_ + b.tree_; }
    friend SizeExpr operator-(const SizeExpr &a, const SizeExpr &b) { return a.tree_ - b.tree_; }
    friend SizeExpr operator*(const SizeExpr &a, const SizeExpr &b) { return a.tree_ * b.tree_; }

    /// The text form. Bound variables are i, j, k, l, ... from the outermost on, skipping
    /// names used in the formula.
    std::string str() const;
    /// The symbols and containers that it mentions, in order, without bound variables.
    std::vector<Name> names() const;
    bool hasBinder() const;
    /// The formula if it has no binder.
    std::optional<sym::Expr> plain() const;
    /// The formula with binders as calls.
    sym::Expr tree() const { return tree_; }

private:
    sym::Expr tree_;
};

SizeExpr min(const SizeExpr &a, const SizeExpr &b);
SizeExpr max(const SizeExpr &a, const SizeExpr &b);
/// Python's `//`, and the quotient rounded up; `b` must not be 0.
SizeExpr floorDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr ceilDiv(const SizeExpr &a, const SizeExpr &b);

/// Is a size certainly non-negative? Symbols that are assumed to be positive because they are sizes (factsOf) may be 0
/// here.
bool isNonNegative(const SizeExpr &e, const sym::Assumptions &facts);

/// The sum of `body` for `variable` from `begin` to `end`, exclusive; 0 if the range is empty. `variable` is bound only
/// in the body. Closed if the body is a polynomial in the variable.
SizeExpr sumOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body,
                 const sym::Assumptions &facts = {});
/// The maximum of `body`; 0 for an empty range. Closed if the body is monotone over the entire range.
SizeExpr maxOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body,
                 const sym::Assumptions &facts = {});
/// Replaces symbols, all at once. Bound variables are unaffected.
SizeExpr substitute(const SizeExpr &e, const std::map<Name, SizeExpr> &values);

/// Returns the smallest part that no size can have: a call, a member, a fractional number, or a
/// coefficient beyond 64 bits.
std::optional<sym::Expr> unsupportedPart(const SizeExpr &e);

/// Values of the names that a size mentions.
struct SizeValues {
    std::map<Name, int64_t> symbols;
    /// Returns an element of a container (a scalar has no indices), or nothing if there is no such element.
    std::function<std::optional<int64_t>(Name, std::span<const int64_t>)> read;
    int64_t steps = 1'000'000'000; // maximum number of evaluations of binder bodies
};
/// Evaluates the size exactly. Fails with the reason if a name has no value, an element is missing, a divisor is 0, a
/// number exceeds 64 bits, or binders take more steps: nothing wraps around.
Result<int64_t> evaluate(const SizeExpr &e, const SizeValues &values);

} // namespace sdfgc::analysis
