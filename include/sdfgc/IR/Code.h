// Code in a graph: of tasklets, edges, loops and branches.
#pragma once

#include "sdfgc/IR/Enums.h"
#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::ir {

/// Text in a language, with its syntax trees if it is Python. The trees are made when they are first asked for, then kept with the text;
/// copies share them. The text is the truth: code that is made from trees is printed, and the trees that it returns have positions in
/// that text and no types. Code does not change; assign other code instead.
class Code {
public:
    using Block = std::vector<py::StmtRef>;

    Code() = default;
    Code(std::string text, Language language = Language::Python) : text_(std::move(text)), language_(language) {}
    Code(const char *text, Language language = Language::Python) : Code(std::string(text), language) {}
    /// Python code.
    explicit Code(const Block &statements) : Code(py::print(statements)) {}
    explicit Code(const py::Expr &expression) : Code(py::print(expression)) {}

    const std::string &text() const { return text_; }
    Language language() const { return language_; }
    bool isPython() const { return language_ == Language::Python; }
    bool empty() const { return text_.empty(); }

    /// The code as statements (format reference 9.4). Fails as py::parseBlock does, and for languages other than Python and Library.
    const py::Parsed<Block> &asBlock() const;
    /// The code as an expression. Fails as py::parseExpr does, and for other languages.
    const py::Parsed<py::ExprRef> &asExpression() const;

    /// The statements, or null if asBlock() fails.
    const Block *block() const;
    /// The expression, or null if asExpression() fails.
    py::ExprRef expression() const;
    /// The same, but a single Raw node of the entire text instead of null: such text is C++ and is not changed (format reference 9.1).
    Block blockOrRaw() const;
    py::ExprRef expressionOrRaw() const;

    friend bool operator==(const Code &a, const Code &b) { return a.text_ == b.text_ && a.language_ == b.language_; }

private:
    struct Trees;
    Trees &trees() const;

    std::string text_;
    Language language_ = Language::Python;
    mutable std::shared_ptr<Trees> trees_; // null until they are first asked for
};

} // namespace sdfgc::ir
