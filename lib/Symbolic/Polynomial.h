// The canonical form of arithmetic. A sum is a list of terms ordered by compareTerms, then its constant; a term is an exact
// coefficient times factors ordered by text, each base once. Products of sums are multiplied out while the result stays small, so
// that equal polynomials of ordinary size are one node.
#pragma once

#include "Symbolic/Node.h"

#include <vector>

namespace sdfgc::sym {

/// Products of sums are multiplied out up to this many terms, and kept as products beyond.
constexpr std::size_t maxExpandedTerms = 32;

/// The number of term products that this thread may form while it parses a text. A product that is multiplied out may itself
/// contain products, so the time could grow exponentially with the depth of the text. When the budget is spent, products are kept.
/// Without a budget, as outside of parsers, there is no limit.
class ExpansionBudget {
public:
    explicit ExpansionBudget(std::size_t products) : outer_(left_) { left_ = products; }
    ExpansionBudget(const ExpansionBudget &) = delete;
    ExpansionBudget &operator=(const ExpansionBudget &) = delete;
    ~ExpansionBudget() { left_ = outer_; }
    static bool isSpent() { return left_ == 0; }
    static void spend() { left_ -= left_ != 0 && left_ != unlimited; }

private:
    static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);
    static inline thread_local std::size_t left_ = unlimited;
    const std::size_t outer_;
};

/// Is the expression of a kind that stays as it is when 0 is added to it, or when it is multiplied by 1? Most offsets are 0 and
/// most steps are 1, so this saves most of the arithmetic on subsets.
inline bool isCommon(Expr e) {
    return e.kind() == SymbolicKind::Integer || e.kind() == SymbolicKind::Symbol || e.kind() == SymbolicKind::Add;
}

/// Collects a sum of any length; `finish` is the canonical expression.
class SumBuilder {
public:
    void add(Expr e) { add(e, Num(1)); }
    void add(Expr e, const Num &scale);
    Expr finish();

private:
    struct Term {
        Expr whole; // as added
        Num coefficient;
        bool changed; // `coefficient` no longer matches `whole`
    };
    void sortAndMerge();
    void merge(Term &into, const Term &from);
    static Expr build(const Term &t);

    Num constant_;
    std::vector<Term> terms_;
    std::optional<Expr> undefined_;
};

/// Collects a product of any length; `finish` is the canonical expression.
class ProductBuilder {
public:
    void multiply(Expr e) { multiply(e, Expr(1)); }
    void multiply(Expr e, Expr exponent);
    Expr finish();

private:
    struct Factor {
        Expr base, exponent;
    };
    void multiplyInteger(Expr e, int64_t exponent);
    void multiplyNumber(const Num &v, int64_t exponent);
    void becomeUndefined(Expr e);
    void mergeFactors();
    void foldNumericPower(Factor &f);
    bool hasFoldableFactor() const;
    bool isSumFactor(const Factor &f) const;
    std::size_t expandedTerms() const;
    Expr keep() const;
    Expr expand() const;

    Num coefficient_ = 1;
    std::vector<Factor> factors_;
    std::optional<Expr> undefined_;
};

/// The greatest number c such that each coefficient of the sum `e` divided by c is an integer, with the sign of the first term; 1
/// if a coefficient is not exact. (This is the content of the polynomial; for a single term, its coefficient.)
Num contentOf(Expr e);
/// e times a number, multiplied into a sum.
Expr scale(Expr e, const Num &by);
/// Least common multiple of the denominators of the coefficients; nothing if a coefficient is not exact or the result overflows 64
/// bits.
std::optional<int64_t> commonDenominator(Expr e);

/// The node `e` rebuilt with other operands and simplified.
Expr rebuilt(Expr e, const std::vector<Expr> &ops);

} // namespace sdfgc::sym
