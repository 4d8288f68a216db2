// Represents expressions as linear forms over the unknowns of a system.
//
// A nonlinear part of an expression becomes a separate unknown, with as many of its properties as linear rows can express: for `i
// // 4` all of them, for `min(a, b)` that it is at most both, for `idx[i]` none. So anything that is not understood can be any
// integer.
#pragma once

#include "Analysis/Dependences/System.h"
#include "sdfgc/Symbolic/Subset.h"

#include <string>
#include <utility>

namespace sdfgc::analysis::dependences {

/// The position of an expression: the variables of the loops around it, outermost first, with their values. Names that are not in
/// the list are symbols, which are the same everywhere.
class Scope {
public:
    /// The scope inside a loop. `binding` distinguishes this variable from all others with the same name, and is greater than those
    /// of the surrounding ones.
    void enter(Name variable, Form value, std::size_t binding) { variables_.push_back({variable, std::move(value), binding}); }
    /// The scope with only the outermost loops.
    Scope outer(std::size_t loops) const;

    /// Null for a symbol.
    const Form *valueOf(Name variable) const;
    /// The binding of the innermost variable that `e` uses: if it is the same in two scopes, so is the value of `e`. 0 if `e` uses
    /// symbols only.
    std::size_t bindingOf(sym::Expr e) const;
    bool varies(sym::Expr e) const { return bindingOf(e) != 0; }

private:
    struct Variable {
        Name name;
        Form value;
        std::size_t binding;
    };
    const Variable *find(Name variable) const;
    std::vector<Variable> variables_;
};

/// A form plus products of an unknown with a symbolic coefficient.
struct Polynomial {
    Form linear;
    std::vector<std::pair<sym::Expr, Column>> products;

    void subtract(const Polynomial &other);
    /// Combines products of the same unknown and removes those with the coefficient 0.
    void cancel();
};

/// Is it made of symbols and integers by sums, products and the like, so that it is an integer determined by its symbols?
bool isPure(sym::Expr e);

class Unknowns {
public:
    explicit Unknowns(const sym::Assumptions &facts) : facts_(facts) {}

    /// Adds a new unknown without constraints.
    Column add() { return add(false); }
    /// Enters a loop.
    void enter(Scope &scope, Name variable, Form value) { scope.enter(variable, std::move(value), ++bindings_); }
    Form formOf(sym::Expr e, const Scope &at);
    Polynomial polynomialOf(sym::Expr e, const Scope &at);
    /// A sum of symbols and a constant, as an expression. Nothing if it overflows.
    std::optional<sym::Expr> expressionOf(std::span<const int64_t> row) const;
    /// The symbol or opaque term of a column; nothing if it represents something that varies.
    std::optional<sym::Expr> symbolOf(Column c) const;

    void nonNegative(Form f) { inequalities_.push_back(std::move(f)); }
    void equalsZero(Form f) { equalities_.push_back(std::move(f)); }
    /// All constraints on the unknowns. To be called before more unknowns are added.
    System system() const;
    const std::vector<bool> &symbols() const { return symbols_; }

    /// Records that something is not known exactly: `why` is for people, and empty if it does not matter.
    void becomeUncertain(std::string why = {});
    const std::string &why() const { return why_; }
    const sym::Assumptions &facts() const { return facts_; }

private:
    struct Term {
        sym::Expr expr;
        std::size_t binding; // of the innermost variable in it; 0: symbols only
        Column column;
    };
    Column add(bool symbol);
    void addTo(Polynomial &to, sym::Expr e, int64_t scale, const Scope &at);
    void addProduct(Polynomial &to, sym::Expr e, int64_t scale, const Scope &at);
    bool addSymbolicMultiple(Polynomial &to, sym::Expr factor, const Form &value, int64_t scale, const Scope &at);
    Column termColumn(sym::Expr e, const Scope &at);
    void define(Column c, sym::Expr e, const Scope &at);
    void defineQuotient(Column c, sym::Expr e, const Scope &at);
    void defineModulo(Column c, sym::Expr e, const Scope &at);
    void defineExtremum(Column c, sym::Expr e, const Scope &at);
    void assumeSign(Column c, sym::Expr e);
    Form truncatedQuotient(sym::Expr e, const Scope &at);

    const sym::Assumptions &facts_;
    std::vector<bool> symbols_{true}; // by column
    std::vector<Term> terms_;
    std::vector<Form> inequalities_, equalities_;
    std::size_t bindings_ = 0;
    bool certain_ = true;
    std::string why_;
};

} // namespace sdfgc::analysis::dependences
