// Reading the schedule tree's text: tokens, types, sizes and expressions. The statements of a Code node are in ReadStatements.cpp,
// those of the tree in Parse.cpp.
#pragma once

#include "Expressions.h"
#include "Lexer.h"

#include <algorithm>
#include <map>

namespace sdfgc::tree::text {

/// Maximum nesting of expressions, types and statements of code; the stack is finite.
constexpr int deepest = 400;

/// Thrown at the first fault in the text, and caught by `parse`.
struct SyntaxError {
    std::string message;
    int line = 0, column = 0;
};

/// The meaning of an expression's words. Memory is `variable[offset by strides at indices]`.
class Meanings {
public:
    virtual ~Meanings() = default;
    virtual Type typeOf(Name n) = 0;
    /// The variable denoted by a path of names (`s`, `s.x`); none if there is none.
    virtual VarId variable(const std::vector<std::string> &path) = 0;
    virtual RefId add(MemRef r) = 0;
    virtual MemRef &memory(RefId r) = 0;
    virtual Type typeOfMemory(RefId r) = 0;
};

class TreeReader {
public:
    TreeReader(std::string_view source, std::vector<Token> tokens) : source_(source), tokens_(std::move(tokens)) {}

    // ---- tokens
    const Token &peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    Token take() {
        Token t = peek();
        if (at_ + 1 < tokens_.size())
            ++at_;
        return t;
    }
    bool isWord(std::string_view w) const { return peek().kind == Token::Word && peek().text == w; }
    bool isSign(std::string_view s) const { return peek().kind == Token::Sign && peek().text == s; }
    /// A label of Nodes.def: a word, or a sign such as `=`.
    bool isLabel(std::string_view l) const { return isWord(l) || isSign(l); }
    bool takeLabel(std::string_view l) { return isLabel(l) && (take(), true); }
    bool takeSign(std::string_view s) { return isSign(s) && (take(), true); }
    /// Does this word begin a statement, rather than an assignment to a variable of that name?
    bool beginsStatement(std::string_view w) const {
        if (!isWord(w))
            return false;
        const Token &next = peek(1);
        static constexpr std::string_view after[] = {"=", "[", ".", ".["};
        return next.kind != Token::Sign || std::find(std::begin(after), std::end(after), next.text) == std::end(after);
    }
    bool takeStatement(std::string_view w) { return beginsStatement(w) && (take(), true); }
    void expectSign(std::string_view s);
    void expectWord(std::string_view w);
    void endLine();
    void skipEmptyLines();
    [[noreturn]] void fail(const std::string &message) const { fail(message, peek()); }
    [[noreturn]] void fail(const std::string &message, const Token &at) const;
    std::string here() const; // the current token, for messages

    // ---- leaves
    std::string string();
    Name name();
    int64_t number();
    Type type();
    sym::Expr size();
    std::vector<sym::Expr> sizes();
    std::string code();
    /// A line that defines a structure, which is then known by its name: `struct S { n: int64, x: float64* }`.
    Type structure();

    // ---- expressions
    py::ExprRef expression(int least = Lowest);
    std::vector<py::ExprRef> expressions(std::string_view close);
    RefId reference();

    Meanings *meanings = nullptr;
    std::map<Name, Type> structs;

    /// One level of nesting during its lifetime; too many are a fault.
    class Nested {
    public:
        explicit Nested(TreeReader &r) : r_(r) {
            if (++r_.depth_ > deepest)
                r_.fail("the text is nested too deeply");
        }
        ~Nested() { --r_.depth_; }
        Nested(const Nested &) = delete;
        Nested &operator=(const Nested &) = delete;

    private:
        TreeReader &r_;
    };

private:
    std::size_t skipOperand(std::size_t i) const;
    std::size_t skipBrackets(std::size_t i) const;
    Type opaque();
    Type typeAtom();
    Type callback();

    py::ExprRef finish(py::Expr e);
    py::ExprRef unary(int least);
    py::ExprRef primary();
    py::ExprRef postfix(py::ExprRef e);
    py::ExprRef parenthesis();
    py::ExprRef numberLiteral();
    py::ExprRef lambda();
    py::ExprRef infix(py::ExprRef left, int least, bool &more);
    py::ExprRef comparison(py::ExprRef left);
    py::ExprRef call(py::ExprRef callee);
    const Operator *operatorHere() const;
    bool isMemory() const;
    Element element();
    RefId memory(bool address, std::vector<py::ExprRef> *indices);
    py::ExprRef memoryExpression(bool address);

    std::string_view source_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace sdfgc::tree::text
