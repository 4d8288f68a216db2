// Sizes that are known before a part of a program runs: formulas of integers over symbols and contents of containers, with sums and maxima
// over ranges.
//
//     SumOver(i, 0, R, max(len[i], 0))          the sum over i = 0 ... R-1
//     MaxOver(i, 0, R, max(len[i], 0))          the greatest of them
//
// An empty range gives 0. A binder is one opaque term of the formula: nothing moves a difference, a quotient or a Select into one or out of
// one (max f - max g is not max (f - g)). Where a closed form is the same number for all values it takes the place of the binder: sums of
// polynomials, maxima at an end of a range.
//
// Formulas are values, equal if they are the same up to names of bound variables. Inside, a binder is a call in a sym::Expr whose variable
// has a name that depends only on the nesting (`#1` for the innermost), so sym's arithmetic and interning serve them as well.
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

    /// As people and `parseSize` read it. Bound variables are i, j, k, l, ... from the outermost on, without names that stand for
    /// something else in the formula.
    std::string str() const;
    /// Symbols and containers that it mentions, in order; no bound variables.
    std::vector<Name> names() const;
    bool hasBinder() const;
    /// The formula, if it has no binder.
    std::optional<sym::Expr> plain() const;
    /// The formula with binders as calls: for those who print it or walk over it, by `binderOf`.
    sym::Expr tree() const { return tree_; }

private:
    sym::Expr tree_;
};

SizeExpr min(const SizeExpr &a, const SizeExpr &b);
SizeExpr max(const SizeExpr &a, const SizeExpr &b);
/// Python's `//`, and the quotient rounded up; `b` must not become 0.
SizeExpr floorDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr ceilDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr mod(const SizeExpr &a, const SizeExpr &b);
/// A condition: 1 or 0. `relation`: Eq, Ne, Lt, Le, Gt, Ge.
SizeExpr compare(sym::Kind relation, const SizeExpr &a, const SizeExpr &b);
/// `yes` where `condition` is not 0, else `no`, which is then not looked at.
SizeExpr select(const SizeExpr &condition, const SizeExpr &yes, const SizeExpr &no);

/// What is known where a size is asked for.
struct SizeFacts {
    sym::Assumptions symbols;
    std::set<Name> monotone; // containers of which p[i] <= p[i + 1] was promised
};

/// Is a size certain not to be negative? Symbols that are positive as they are sizes (factsOf) may be 0 here.
bool isNonNegative(const SizeExpr &e, const SizeFacts &facts);

/// The sum of `body` for `variable` from `begin` to `end`, which does not belong to it; 0 if there is no such value. `variable` is bound
/// in the body only. Closed where the body is a polynomial in the variable, or p[v + 1] - p[v] for a monotone p.
SizeExpr sumOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body, const SizeFacts &facts = {});
/// The greatest value of `body`; 0 for an empty range. Closed where the body rises or falls over the whole range.
SizeExpr maxOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body, const SizeFacts &facts = {});
/// a * b, where one of them may be what a maximum over a range of the other's length became: Select(n > 0, x, 0) * n is x * n.
SizeExpr product(const SizeExpr &a, const SizeExpr &b, const SizeFacts &facts = {});

/// Replaces symbols, all at once. Bound variables stay what they are.
SizeExpr substitute(const SizeExpr &e, const std::map<Name, SizeExpr> &values);

/// One binder of a formula, its variable named by the caller.
struct SizeBinder {
    bool isSum;
    Name variable;
    SizeExpr begin, end, body;
};
/// Nothing where a node of a tree is no binder.
std::optional<SizeBinder> binderOf(sym::Expr node, Name variable);

/// Reads what str() writes. Names before `[` are containers, and so are those before `(` for which `isContainer` holds. Fails with what is
/// wrong and where (`at 12: ...`) on text that is no expression, on binders without a variable, two ends and a body, and on parts that
/// sizes cannot have.
Result<SizeExpr> parseSize(std::string_view text, const std::function<bool(Name)> &isContainer = nullptr);

/// The smallest part that no size can have: a call, a member, a number that is not whole, an element that is no integer, a coefficient
/// beyond 64 bits. With an SDFG the types of its containers and symbols count.
std::optional<sym::Expr> unsupportedPart(const SizeExpr &e, const ir::SDFG *g = nullptr);

/// What it takes to know a size.
enum class SizeClass : uint8_t {
    Number,  // it is one
    Symbols, // arithmetic of symbols
    Reads,   // loops, or contents of containers
};
struct SizeUse {
    SizeClass kind = SizeClass::Number;
    std::vector<Name> symbols, containers; // in order
    bool loops = false;                    // there are binders
};
/// Containers are those with an index, and names of containers of `g`.
SizeUse useOf(const SizeExpr &e, const ir::SDFG *g = nullptr);

/// Values of what a size mentions.
struct SizeValues {
    std::map<Name, int64_t> symbols;
    /// An element of a container (a scalar has no indices); nothing: there is no such element.
    std::function<std::optional<int64_t>(Name, std::span<const int64_t>)> read;
    int64_t steps = 1'000'000'000; // bodies of binders that may be evaluated
};
/// The size, exactly. Fails with the reason where a name has no value, an element is missing, a divisor is 0, a number leaves 64 bits, or
/// binders take more steps: nothing wraps around.
Result<int64_t> evaluate(const SizeExpr &e, const SizeValues &values);

} // namespace sdfgc::analysis
