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
#include <string_view>
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

    /// The text form, which `parseSize` reads. Bound variables are i, j, k, l, ... from the outermost on, skipping
    /// names used in the formula.
    std::string str() const;
    /// The symbols and containers that it mentions, in order, without bound variables.
    std::vector<Name> names() const;
    bool hasBinder() const;
    /// The formula if it has no binder.
    std::optional<sym::Expr> plain() const;
    /// The formula with binders as calls, for printing or walking with `binderOf`.
    sym::Expr tree() const { return tree_; }

private:
    sym::Expr tree_;
};

SizeExpr min(const SizeExpr &a, const SizeExpr &b);
SizeExpr max(const SizeExpr &a, const SizeExpr &b);
/// Python's `//`, and the quotient rounded up; `b` must not be 0.
SizeExpr floorDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr ceilDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr mod(const SizeExpr &a, const SizeExpr &b);
/// A condition, 1 or 0. `relation`: Eq, Ne, Lt, Le, Gt, Ge.
SizeExpr compare(sym::SymbolicKind relation, const SizeExpr &a, const SizeExpr &b);
/// `yes` if `condition` is nonzero, otherwise `no`. Only the chosen one is evaluated.
SizeExpr select(const SizeExpr &condition, const SizeExpr &yes, const SizeExpr &no);

/// What is known at the point where a size is needed.
struct SizeFacts {
    sym::Assumptions symbols;
    std::set<Name> monotone; // containers with the guarantee p[i] <= p[i + 1]
};

/// Is a size certainly non-negative? Symbols that are assumed to be positive because they are sizes (factsOf) may be 0
/// here.
bool isNonNegative(const SizeExpr &e, const SizeFacts &facts);

/// The sum of `body` for `variable` from `begin` to `end`, exclusive; 0 if the range is empty. `variable` is bound only
/// in the body. Closed if the body is a polynomial in the variable, or p[v + 1] - p[v] for a monotone p.
SizeExpr sumOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body, const SizeFacts &facts = {});
/// The maximum of `body`; 0 for an empty range. Closed if the body is monotone over the entire range.
SizeExpr maxOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body, const SizeFacts &facts = {});
/// a * b. One of them may be the result of a maximum over a range whose length is the other: Select(n > 0, x, 0) * n is
/// x * n.
SizeExpr product(const SizeExpr &a, const SizeExpr &b, const SizeFacts &facts = {});

/// Replaces symbols, all at once. Bound variables are unaffected.
SizeExpr substitute(const SizeExpr &e, const std::map<Name, SizeExpr> &values);

/// A binder of a formula; the caller names its variable.
struct SizeBinder {
    bool isSum;
    Name variable;
    SizeExpr begin, end, body;
};
/// Returns nothing if a node of a tree is not a binder.
std::optional<SizeBinder> binderOf(sym::Expr node, Name variable);

/// Parses the output of str(). Names before `[` are containers, and so are names before `(` for which `isContainer`
/// holds. Fails with the reason and the position (`at 12: ...`) for text that is not an expression, binders without a
/// variable, two bounds and a body, and parts that sizes cannot have.
Result<SizeExpr> parseSize(std::string_view text, const std::function<bool(Name)> &isContainer = nullptr);

/// Returns the smallest part that no size can have: a call, a member, a fractional number, a non-integer element, or a
/// coefficient beyond 64 bits. With an SDFG, the types of its containers and symbols are checked.
std::optional<sym::Expr> unsupportedPart(const SizeExpr &e, const ir::SDFG *g = nullptr);

/// The data needed to compute a size.
enum class SizeClass : uint8_t {
    Number,  // constant
    Symbols, // arithmetic on symbols
    Reads,   // loops, or contents of containers
};
struct SizeUse {
    SizeClass kind = SizeClass::Number;
    std::vector<Name> symbols, containers; // in order
    bool loops = false;                    // contains binders
};
/// Names with an index, and names of containers of `g`, count as containers.
SizeUse useOf(const SizeExpr &e, const ir::SDFG *g = nullptr);

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
