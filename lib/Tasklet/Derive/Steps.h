// A block in single assignment: every value that a derivative may need has a name of its own.
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

/// Names of values by the text that computes them, within what dominates the place where they are looked up.
struct Scope {
    std::map<std::string, Name> known;
    const Scope *outer = nullptr;
};

/// What a name holds after a branch: a leaf (a name or a number) for either side, null where that side leaves it alone.
struct Join {
    Name result;
    ExprRef then, other;
};

struct Step {
    enum class Kind : uint8_t {
        Let,    // name = value, an operation on leaves
        Branch, // if value (a leaf): then, otherwise: other
        Store,  // the block that is differentiated stores leaf `value` to `target`, an element of an output
        Define, // it assigns leaf `value` to the output `name`, which not all paths do
        Put,    // the derivative assigns leaf `value` to `target`
    };
    Kind kind;
    Name name;
    ExprRef value, target;
    std::vector<Step> then, other;
    std::vector<Join> joins;
    Scope thenScope, otherScope; // names that the sides know
    Position at;
};

/// Makes steps. Equal operations share one name.
class Builder {
public:
    Builder(const Signature &signature, std::set<Name> reserved);

    /// A leaf with the value of the expression; `wanted` is a name for it, should it need one. Whole numbers and truth values that
    /// have no `wanted` name stay trees.
    ExprRef leaf(const ExprRef &e, std::string_view wanted = "");
    /// The same for a condition, which gets a name unless it is a leaf.
    ExprRef condition(const ExprRef &e);
    /// A name that nothing has yet: `wanted`, or with a number.
    Name fresh(std::string_view wanted);
    /// The name without the number that `fresh` gave it.
    std::string plainName(Name n) const;
    /// The block with the lowest numbers in its names.
    std::vector<StmtRef> renumbered(const std::vector<StmtRef> &block) const;
    void define(Name n, Type t) { types_[n] = t; }
    /// Type of an expression on names that the builder, the signature and its environment know.
    Type typeOf(const ExprRef &e) const;
    /// Type of a value that is either of two leaves, which may be null. Numbers as written do not widen.
    Type commonTypeOf(const ExprRef &a, const ExprRef &b) const;
    /// The expression in type t, if it computes in another one.
    ExprRef converted(const ExprRef &e, Type t) const;
    void push(Step s) { steps_->push_back(std::move(s)); }
    /// Steps go to the list while f runs, in a scope below the present one that knows what `scope` does; more is added to it.
    void within(std::vector<Step> &steps, Scope &scope, const std::function<void()> &f);

    const Env &env() const { return env_; }
    std::vector<Step> top;

private:
    const Signature &signature_;
    std::set<Name> reserved_, taken_;
    std::map<std::string, int> next_;
    std::map<Name, std::string> wanted_; // for names that `fresh` has made
    std::map<Name, Type> types_;
    Env env_;
    Scope scope_;
    Scope *current_ = &scope_;
    std::vector<Step> *steps_ = &top;

    std::optional<Type> lookUp(Name n) const;
    ExprRef typedLeaf(const ExprRef &e, std::string_view wanted);
    ExprRef member(const ExprRef &e, std::string_view wanted);
    ExprRef narrowLiterals(const ExprRef &flat) const;
    ExprRef named(const ExprRef &flat, std::string_view wanted);
    const Name *known(const std::string &text) const;
};

/// The block in single assignment.
struct Straight {
    std::map<std::string, ExprRef> values; // leaf that each variable has at the end: outputs, elements of outputs `y[0]`
    std::set<Name> active;                 // names whose values depend on active inputs
    std::set<Name> stored, partial;        // as in Derivative
};
/// Fills builder.top. Throws Refusal.
Straight straighten(const std::vector<StmtRef> &block, const Signature &signature, Builder &builder);

/// Loops over constant ranges written out.
std::vector<StmtRef> unrolled(const std::vector<StmtRef> &block);

/// Where the operands of an operation begin among its args: neither the function nor a condition is one.
inline int firstOperand(const Expr &flat) { return flat.kind == ExprKind::Call || flat.kind == ExprKind::IfExp ? 1 : 0; }

/// The derivative of an operation on leaves with respect to its operand args[k] in terms of these leaves and the name of the result.
/// Throws Refusal.
ExprRef partialOf(const Expr &flat, std::size_t k, Name result, Ties ties, const Builder &builder);
/// Can a derivative of the operation be infinite where its result is a number? The row of the table says so; a divisor or an exponent that is a
/// number may rule it out.
bool canBeInfinite(const Expr &flat, const Builder &builder);

/// Steps as statements that read well: what nothing uses is left out, what is used once stands where it is used. `results` are the names
/// that stay.
std::vector<StmtRef> tidied(const std::vector<Step> &steps, const std::set<Name> &results);

} // namespace sdfgc::py::detail
