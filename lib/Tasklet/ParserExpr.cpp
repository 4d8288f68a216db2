// Expressions: the grammar of Python 3, loosest operator first.
#include "Tasklet/Parser.h"

#include <algorithm>
#include <array>

namespace sdfgc::py::detail {

namespace {

struct Binary {
    std::string_view text;
    Op op;
    int level;
};
constexpr std::array<Binary, 12> binaries = {{
    {"|", Op::BitOr, 1},
    {"^", Op::BitXor, 2},
    {"&", Op::BitAnd, 3},
    {"<<", Op::Shl, 4},
    {">>", Op::Shr, 4},
    {"+", Op::Add, 5},
    {"-", Op::Sub, 5},
    {"*", Op::Mul, 6},
    {"/", Op::TrueDiv, 6},
    {"//", Op::FloorDiv, 6},
    {"%", Op::Mod, 6},
    {"@", Op::MatMul, 6},
}};
constexpr int tightestLevel = 6;

// Counts one level of nesting during a scope.
struct Nested {
    int &depth;
    explicit Nested(int &d) : depth(d) { ++depth; }
    ~Nested() { --depth; }
    bool tooDeep() const { return depth > maxNesting; }
};

const std::string nestingMessage = "expression is nested more than " + std::to_string(maxNesting) + " levels deep";

} // namespace

bool Parser::takeOp(std::string_view text) {
    if (!atOp(text))
        return false;
    ++pos_;
    return true;
}

bool Parser::takeKeyword(std::string_view text) {
    if (!atKeyword(text))
        return false;
    ++pos_;
    return true;
}

bool Parser::expectOp(std::string_view text) {
    if (takeOp(text))
        return true;
    failExpected("`" + std::string(text) + "`");
    return false;
}

Parser::Node Parser::fail(std::string message, Position at) {
    if (!failed_)
        error_ = {std::move(message), at};
    failed_ = true;
    return {};
}

Parser::Node Parser::failExpected(std::string_view what) {
    const Token &t = peek();
    std::string found = "`" + t.text + "`";
    if (t.kind == Tok::End || t.kind == Tok::Newline)
        found = t.kind == Tok::End ? "the end" : "the end of the line";
    else if (t.kind == Tok::Indent || t.kind == Tok::Dedent)
        found = "a change of indentation";
    else if (t.kind == Tok::String)
        found = "a string";
    return fail("expected " + std::string(what) + ", found " + found, t.at);
}

Expr Parser::start(ExprKind kind, Position at) {
    Expr e;
    e.kind = kind;
    e.at = at;
    return e;
}

Parser::Node Parser::finish(Expr e, int childHeight) {
    if (childHeight >= maxHeight)
        return fail("expression has a chain of more than " + std::to_string(maxHeight) + " operations", e.at);
    return {std::make_shared<const Expr>(std::move(e)), childHeight + 1};
}

Parser::Node Parser::unary(Op op, Node a, Position at) {
    if (!a)
        return {};
    Expr e = start(ExprKind::Unary, at);
    e.op = op;
    e.args = {a.e};
    return finish(std::move(e), a.height);
}

Parser::Node Parser::binary(Op op, Node a, Node b, Position at) {
    if (!a || !b)
        return {};
    Expr e = start(ExprKind::Binary, at);
    e.op = op;
    e.args = {a.e, b.e};
    return finish(std::move(e), std::max(a.height, b.height));
}

Parsed<ExprRef> Parser::wholeExpression() {
    Node n = testList();
    if (n && peek().kind != Tok::End)
        n = failExpected("an operator or the end");
    Parsed<ExprRef> result;
    if (n)
        result.value = n.e;
    result.error = error_;
    return result;
}

// test (',' test)* [',']: a tuple as soon as there is a comma
Parser::Node Parser::testList() {
    const Position at = peek().at;
    Node first = test();
    if (!first || !atOp(","))
        return first;
    Expr tuple = start(ExprKind::Tuple, at);
    tuple.args.push_back(first.e);
    int height = first.height;
    while (takeOp(",")) {
        const Token &t = peek();
        if (t.kind == Tok::End || t.kind == Tok::Newline ||
            (t.kind == Tok::Op && (t.text == ")" || t.text == "]" || t.text == "=" || t.text == ";")))
            break;
        Node next = test();
        if (!next)
            return {};
        tuple.args.push_back(next.e);
        height = std::max(height, next.height);
    }
    return finish(std::move(tuple), height);
}

Parser::Node Parser::test() {
    Nested nested(nesting_);
    if (nested.tooDeep())
        return fail(nestingMessage, peek().at);
    Node n = atKeyword("lambda") ? lambda() : conditional();
    if (n && atOp(":="))
        return fail("assignment expressions (`:=`) are not supported", peek().at);
    return n;
}

Parser::Node Parser::conditional() {
    const Position at = peek().at;
    Node value = boolOp(Op::Or);
    if (!value || !takeKeyword("if"))
        return value;
    Node condition = boolOp(Op::Or);
    if (!condition)
        return {};
    if (!takeKeyword("else"))
        return failExpected("`else` of the conditional expression");
    Node other = test();
    if (!other)
        return {};
    Expr e = start(ExprKind::IfExp, at);
    e.args = {condition.e, value.e, other.e};
    return finish(std::move(e), std::max({condition.height, value.height, other.height}));
}

Parser::Node Parser::lambda() {
    Expr e = start(ExprKind::Lambda, peek().at);
    ++pos_;
    while (!takeOp(":")) {
        if (atOp("*") || atOp("**") || atOp("/"))
            return fail("lambda parameters other than plain names are not supported", peek().at);
        if (peek().kind != Tok::Name)
            return failExpected("a parameter name");
        e.params.emplace_back(peek().text);
        ++pos_;
        if (atOp("="))
            return fail("default values of lambda parameters are not supported", peek().at);
        if (!takeOp(",") && !atOp(":"))
            return failExpected("`,` or `:` after a lambda parameter");
    }
    Node body = test();
    if (!body)
        return {};
    e.args = {body.e};
    return finish(std::move(e), body.height);
}

Parser::Node Parser::boolOp(Op op) {
    const std::string_view word = op == Op::Or ? "or" : "and";
    const Position at = peek().at;
    auto operand = [&] { return op == Op::Or ? boolOp(Op::And) : notTest(); };
    Node first = operand();
    if (!first || !atKeyword(word))
        return first;
    Expr e = start(ExprKind::BoolOp, at);
    e.op = op;
    e.args = {first.e};
    int height = first.height;
    while (takeKeyword(word)) {
        Node next = operand();
        if (!next)
            return {};
        e.args.push_back(next.e);
        height = std::max(height, next.height);
    }
    return finish(std::move(e), height);
}

Parser::Node Parser::notTest() {
    std::vector<Position> nots;
    while (atKeyword("not")) {
        nots.push_back(peek().at);
        ++pos_;
    }
    Node n = comparison();
    for (auto it = nots.rbegin(); it != nots.rend() && n; ++it)
        n = unary(Op::Not, n, *it);
    return n;
}

std::optional<Op> Parser::comparisonOp() {
    constexpr std::array<std::pair<std::string_view, Op>, 6> symbols = {
        {{"==", Op::Eq}, {"!=", Op::Ne}, {"<", Op::Lt}, {"<=", Op::Le}, {">", Op::Gt}, {">=", Op::Ge}}};
    for (const auto &[text, op] : symbols)
        if (takeOp(text))
            return op;
    if (takeKeyword("in"))
        return Op::In;
    if (takeKeyword("is"))
        return takeKeyword("not") ? Op::IsNot : Op::Is;
    if (atKeyword("not") && peek(1).kind == Tok::Keyword && peek(1).text == "in") {
        pos_ += 2;
        return Op::NotIn;
    }
    return std::nullopt;
}

Parser::Node Parser::comparison() {
    const Position at = peek().at;
    Node first = binaryLevel(1);
    if (!first)
        return {};
    Expr e = start(ExprKind::Compare, at);
    e.args = {first.e};
    int height = first.height;
    while (auto op = comparisonOp()) {
        Node next = binaryLevel(1);
        if (!next)
            return {};
        e.ops.push_back(*op);
        e.args.push_back(next.e);
        height = std::max(height, next.height);
    }
    return e.ops.empty() ? first : finish(std::move(e), height);
}

// Left-associative operators by precedence climbing: each level takes operators that bind at least as tightly.
Parser::Node Parser::binaryLevel(int minLevel) {
    Node left = minLevel > tightestLevel ? factor() : binaryLevel(minLevel + 1);
    while (left && peek().kind == Tok::Op) {
        const auto it = std::find_if(binaries.begin(), binaries.end(), [&](const Binary &b) { return b.text == peek().text; });
        if (it == binaries.end() || it->level != minLevel)
            break;
        const Position at = peek().at;
        ++pos_;
        left = binary(it->op, left, minLevel == tightestLevel ? factor() : binaryLevel(minLevel + 1), at);
    }
    return left;
}

Parser::Node Parser::factor() {
    std::vector<std::pair<Op, Position>> signs;
    for (;; ++pos_) {
        if (atOp("-"))
            signs.emplace_back(Op::Neg, peek().at);
        else if (atOp("+"))
            signs.emplace_back(Op::Pos, peek().at);
        else if (atOp("~"))
            signs.emplace_back(Op::Invert, peek().at);
        else
            break;
    }
    Node n = power();
    for (auto it = signs.rbegin(); it != signs.rend() && n; ++it)
        n = unary(it->first, n, it->second);
    return n;
}

Parser::Node Parser::power() {
    if (atKeyword("await"))
        return fail("`await` is not supported", peek().at);
    Node base = postfix();
    const Position at = peek().at;
    if (!base || !takeOp("**"))
        return base;
    Nested nested(nesting_); // a ** b ** c nests to the right
    if (nested.tooDeep())
        return fail(nestingMessage, at);
    return binary(Op::Pow, base, factor(), at);
}

} // namespace sdfgc::py::detail
