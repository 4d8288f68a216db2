// A block in single-assignment form: every value that a derivative may need has its own name.
#pragma once

#include "sdfgc/Tasklet/Derivatives.h"

namespace sdfgc::py::detail {

/// Ends a derivation; caught by reverseOf and tangentOf.
struct Refusal {
    DerivativeError error;
};
[[noreturn]] inline void refuse(DerivativeError::Kind kind, std::string what, Position at) {
    throw Refusal{{kind, std::move(what), at}};
}
[[noreturn]] inline void refuseConstruct(std::string what, Position at) {
    refuse(DerivativeError::Kind::Construct, std::move(what), at);
}

/// Names of values by the text that computes them; only values that dominate the current position are visible.
struct Scope {
    std::map<std::string, Name> known;
    const Scope *outer = nullptr;
};

/// The value of a name after a branch: one leaf (a name or a number) per side, null if that side does not assign it.
struct Join {
    Name result;
    ExprRef then, other;
};

struct DerivationStep {
    enum class Kind : uint8_t {
        Let,    // name = value, an operation on leaves
        Branch, // if value (a leaf): then, otherwise: other
        Store,  // the differentiated block stores leaf `value` to `target`, an element of an output
        Define, // it assigns leaf `value` to the output `name`, which not all paths assign
        Put,    // the derivative assigns leaf `value` to `target`
    };
    Kind kind;
    Name name;
    ExprRef value, target;
    std::vector<DerivationStep> then, other;
    std::vector<Join> joins;
    Scope thenScope, otherScope; // names known on either side
    Position at;
};

/// Creates steps. Equal operations share one name.
class Builder {
public:
    Builder(const Signature &signature, std::set<Name> reserved);

    /// A leaf with the value of the expression, called `wanted` if it needs a name; integers and truth values without a `wanted`
    /// name stay trees.
    ExprRef leaf(const ExprRef &e, std::string_view wanted = "");
    /// The same for a condition, which gets a name unless it already is a leaf.
    ExprRef condition(const ExprRef &e);
    /// An unused name: `wanted`, possibly with a number.
    Name fresh(std::string_view wanted);
    /// The name without the number that `fresh` gave it.
    std::string plainName(Name n) const;
    /// The block renamed to use the lowest possible numbers.
    std::vector<StmtRef> renumbered(const std::vector<StmtRef> &block) const;
    void define(Name n, Type t) { types_[n] = t; }
    /// Type of an expression over names that the builder, the signature or its environment knows.
    Type typeOf(const ExprRef &e) const;
    /// Common type of two leaves, either of which may be null. Literal numbers do not widen it.
    Type commonTypeOf(const ExprRef &a, const ExprRef &b) const;
    /// The expression converted to type t if it has another type.
    ExprRef converted(const ExprRef &e, Type t) const;
    void push(DerivationStep s) { steps_->push_back(std::move(s)); }
    /// Runs f so that its steps go to the list, in a scope nested in the current one. That scope starts with the contents of
    /// `scope` and adds to them.
    void within(std::vector<DerivationStep> &steps, Scope &scope, const std::function<void()> &f);

    const Env &env() const { return env_; }
    std::vector<DerivationStep> top;

private:
    const Signature &signature_;
    std::set<Name> reserved_, taken_;
    std::map<std::string, int> next_;
    std::map<Name, std::string> wanted_; // for names made by `fresh`
    std::map<Name, Type> types_;
    Env env_;
    Scope scope_;
    Scope *current_ = &scope_;
    std::vector<DerivationStep> *steps_ = &top;

    std::optional<Type> lookUp(Name n) const;
    ExprRef typedLeaf(const ExprRef &e, std::string_view wanted);
    ExprRef member(const ExprRef &e, std::string_view wanted);
    ExprRef narrowLiterals(const ExprRef &flat) const;
    ExprRef named(const ExprRef &flat, std::string_view wanted);
    const Name *known(const std::string &text) const;
};

/// The block in single-assignment form.
struct Straight {
    std::map<std::string, ExprRef> values; // final leaf of each variable: outputs, elements of outputs `y[0]`
    std::set<Name> active;                 // names whose values depend on active inputs
    std::set<Name> stored, partial;        // as in Derivative
};
/// Fills builder.top. Throws Refusal.
Straight straighten(const std::vector<StmtRef> &block, const Signature &signature, Builder &builder);

/// The block with loops over constant ranges unrolled.
std::vector<StmtRef> unrolled(const std::vector<StmtRef> &block);

/// The index of an operation's first operand in its args, after a function or a condition.
inline int firstOperand(const Expr &flat) { return flat.kind == ExprKind::Call || flat.kind == ExprKind::IfExp ? 1 : 0; }

/// The derivative of an operation on leaves with respect to its operand args[k] in terms of these leaves and the name of the
/// result. Throws Refusal.
ExprRef partialOf(const Expr &flat, std::size_t k, Name result, Ties ties, const Builder &builder);
/// Can a derivative of the operation be infinite where its result is a number? This depends on the table row; a constant divisor or
/// exponent may rule it out.
bool canBeInfinite(const Expr &flat, const Builder &builder);

/// Turns steps into readable statements: unused values are dropped, and values used once are inlined. `results` are the names to
/// keep.
std::vector<StmtRef> tidied(const std::vector<DerivationStep> &steps, const std::set<Name> &results);

} // namespace sdfgc::py::detail
