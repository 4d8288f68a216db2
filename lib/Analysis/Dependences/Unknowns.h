// What the unknowns of a system stand for: expressions as linear forms.
//
// A part of an expression that is not linear becomes an unknown of its own, of which as much is said as linear rows can say: of
// `i // 4` all, of `min(a, b)` that it is at most both, of `idx[i]` nothing. So whatever is not understood can be any integer.
#pragma once

#include "Analysis/Dependences/System.h"
#include "sdfgc/Symbolic/Subset.h"

#include <string>
#include <utility>

namespace sdfgc::analysis::dependences {

/// Where an expression stands: the variables of the loops around it, outermost first, with their values. Variables that are not
/// there are symbols, the same everywhere.
class Scope {
public:
    /// The scope inside a loop. `binding`: tells this variable from all others of its name, and is more than those around it.
    void enter(Name variable, Form value, std::size_t binding) { variables_.push_back({variable, std::move(value), binding}); }
    /// Only the outermost loops.
    Scope outer(std::size_t loops) const;

    /// Nothing: a symbol.
    const Form *valueOf(Name variable) const;
    /// The innermost variable that `e` uses, by its binding: where two scopes have the same, `e` is the same. 0: symbols only.
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

/// A form, and products of an unknown with a symbolic coefficient.
struct Polynomial {
    Form linear;
    std::vector<std::pair<sym::Expr, Column>> products;

    void subtract(const Polynomial &other);
    /// Products of one unknown become one; those with the coefficient 0 go.
    void cancel();
};

/// The sum, product and so on of symbols and integers: an integer that is the same wherever its symbols are?
bool isPure(sym::Expr e);

class Unknowns {
public:
    explicit Unknowns(const sym::Assumptions &facts) : facts_(facts) {}

    /// A new unknown, of which nothing is known.
    Column add() { return add(false); }
    /// Enters a loop.
    void enter(Scope &scope, Name variable, Form value) { scope.enter(variable, std::move(value), ++bindings_); }
    Form formOf(sym::Expr e, const Scope &at);
    Polynomial polynomialOf(sym::Expr e, const Scope &at);
    /// A sum of symbols and a constant as an expression. Nothing if it overflows.
    std::optional<sym::Expr> expressionOf(std::span<const int64_t> row) const;
    /// The symbol or opaque term of a column; nothing if it stands for something that varies.
    std::optional<sym::Expr> symbolOf(Column c) const;

    void nonNegative(Form f) { inequalities_.push_back(std::move(f)); }
    void equalsZero(Form f) { equalities_.push_back(std::move(f)); }
    /// All that is known of the unknowns. To be used before more are added.
    System system() const;
    const std::vector<bool> &symbols() const { return symbols_; }

    /// Notes that something is not known exactly: `why` for people, empty where it is of no interest.
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
