// Recursive-descent parser of the Python subset. Nesting is limited, so hostile text causes an error and never a stack overflow.
#pragma once

#include "Tasklet/Lexer.h"

namespace sdfgc::py::detail {

/// Nesting of brackets, lambdas and conditionals; the limit of CPython's tokenizer.
inline constexpr int maxNesting = 200;
/// Height of a tree, which chains such as `a + b + c + ...` reach without nesting. All code that walks trees recurses this deep.
inline constexpr int maxHeight = 1000;
/// Nested blocks; the limit of CPython's tokenizer.
inline constexpr int maxBlocks = 100;

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    Parsed<ExprRef> wholeExpression();
    Parsed<std::vector<StmtRef>> wholeBlock();

private:
    struct Node { // an expression and the height of its tree; null after an error
        ExprRef e;
        int height = 0;
        explicit operator bool() const { return e != nullptr; }
    };
    using Block = std::vector<StmtRef>;

    std::vector<Token> tokens_;
    std::size_t pos_ = 0;
    int nesting_ = 0, blocks_ = 0;
    bool failed_ = false;
    ParseError error_;

    const Token &peek(std::size_t ahead = 0) const { return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)]; }
    bool atOp(std::string_view text) const { return peek().kind == Tok::Op && peek().text == text; }
    bool atKeyword(std::string_view text) const { return peek().kind == Tok::Keyword && peek().text == text; }
    bool takeOp(std::string_view text);
    bool takeKeyword(std::string_view text);
    bool expectOp(std::string_view text);
    Node fail(std::string message, Position at);
    Node failExpected(std::string_view what);
    static Expr start(ExprKind kind, Position at);
    Node finish(Expr e, int childHeight);
    Node unary(Op op, Node a, Position at);
    Node binary(Op op, Node a, Node b, Position at);

    // expressions, loosest first (ParserExpr.cpp)
    Node testList();
    Node test();
    Node conditional();
    Node lambda();
    Node boolOp(Op op);
    Node notTest();
    Node comparison();
    std::optional<Op> comparisonOp();
    Node binaryLevel(int minLevel);
    Node factor();
    Node power();
    // (ParserAtom.cpp)
    Node postfix();
    Node subscript(Node base);
    Node subscriptIndex();
    Node call(Node callee);
    Node atom();
    Node stringAtom();
    Node parenthesised();
    Node atomKeyword();

    // statements (ParserStmt.cpp)
    void statement(Block &out);
    void simpleLine(Block &out);
    StmtRef failStatement(std::string message, Position at);
    StmtRef simpleStatement();
    StmtRef keywordStatement();
    StmtRef expressionStatement();
    StmtRef annotated(Stmt s);
    StmtRef assignment(Stmt s, Node first);
    bool checkTarget(const Expr &e);
    StmtRef ifStatement();
    StmtRef whileStatement();
    StmtRef forStatement();
    Block suite();
    void rejectElse(std::string_view loop);
};

} // namespace sdfgc::py::detail
