// Expressions in the schedule tree's text: Python's operators and their precedence, memory as `x[offset]`, and an explicit type for
// every node whose type is not implied by its parts: `(x : float32)`.
#pragma once

#include "sdfgc/Support/Text.h"
#include "sdfgc/Tree/Tree.h"

#include <functional>
#include <span>

namespace sdfgc::tree::text {

enum Precedence : int {
    Lowest,
    Lambda,
    Conditional,
    Disjunction,
    Conjunction,
    Negation,
    Comparison,
    BitwiseOr,
    BitwiseXor,
    BitwiseAnd,
    Shift,
    Sum,
    Product,
    Sign,
    Power,
    Postfix,
};

struct Operator {
    py::Op op;
    std::string_view text;
    int precedence;
};
/// Binary operators and comparisons; spelled as a word if C and Python differ in meaning.
std::span<const Operator> operators();
std::string_view operatorText(py::Op op);

/// The context of expressions.
struct Surroundings {
    std::function<Type(Name)> typeOf;        // void: unknown
    std::function<Type(RefId)> typeOfMemory; // of a memory reference
};
/// The type of a node implied by its parts: literals, names, memory; operands for operators and calls.
Type impliedType(const py::Expr &e, const Surroundings &s);
/// The value of a reference as an expression: an element, an address, or the type that its address is cast to.
Type typeOfReference(const Function &f, const MemRef &r);

/// Words and texts as they are written.
inline std::string quoted(std::string_view s, char quote = '"') { return sdfgc::text::quoted(s, quote); }
std::string nameText(Name n);

class ExpressionPrinter {
public:
    /// `memory` gives the text of a reference, `type` that of a type.
    ExpressionPrinter(Surroundings s, std::function<std::string(RefId, const std::vector<py::ExprRef> &)> memory,
                      std::function<std::string(Type)> type)
        : around_(std::move(s)), memory_(std::move(memory)), type_(std::move(type)) {}
    std::string text(const py::Expr &e, int least = Lowest) const;
    std::string list(const std::vector<py::ExprRef> &all, std::size_t from = 0) const;

private:
    std::string bare(const py::Expr &e, int &precedence) const;
    std::string operation(const py::Expr &e, int &precedence) const;
    std::string literal(const py::Expr &e) const;
    std::string call(const py::Expr &e) const;

    Surroundings around_;
    std::function<std::string(RefId, const std::vector<py::ExprRef> &)> memory_;
    std::function<std::string(Type)> type_;
};

} // namespace sdfgc::tree::text
