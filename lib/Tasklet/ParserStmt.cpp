// Statements of format reference 9.4.
#include "Tasklet/Parser.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace sdfgc::py::detail {

namespace {

// Statements that have no C++ counterpart here, with the wording for the message.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> unsupported = {{
    {"def", "nested functions (`def`)"},
    {"class", "`class` definitions"},
    {"import", "`import` statements"},
    {"from", "`import` statements"},
    {"del", "`del` statements"},
    {"with", "`with` statements"},
    {"try", "`try` statements"},
    {"raise", "`raise` statements"},
    {"global", "`global` statements"},
    {"nonlocal", "`nonlocal` statements"},
    {"async", "`async` statements"},
    {"yield", "`yield` expressions"},
    {"await", "`await` expressions"},
}};

constexpr std::array<std::pair<std::string_view, Op>, 13> augmented = {{
    {"+=", Op::Add},
    {"-=", Op::Sub},
    {"*=", Op::Mul},
    {"/=", Op::TrueDiv},
    {"//=", Op::FloorDiv},
    {"%=", Op::Mod},
    {"**=", Op::Pow},
    {"@=", Op::MatMul},
    {"<<=", Op::Shl},
    {">>=", Op::Shr},
    {"&=", Op::BitAnd},
    {"|=", Op::BitOr},
    {"^=", Op::BitXor},
}};

Stmt make(StmtKind kind, Position at) {
    Stmt s;
    s.kind = kind;
    s.at = at;
    return s;
}

StmtRef share(Stmt s) { return std::make_shared<const Stmt>(std::move(s)); }

} // namespace

StmtRef Parser::failStatement(std::string message, Position at) {
    fail(std::move(message), at);
    return nullptr;
}

Parsed<std::vector<StmtRef>> Parser::wholeBlock() {
    Block block;
    while (!failed_ && peek().kind != Tok::End)
        statement(block);
    Parsed<std::vector<StmtRef>> result;
    result.error = error_;
    if (!failed_)
        result.value = std::move(block);
    return result;
}

void Parser::statement(Block &out) {
    const Token &t = peek();
    StmtRef s;
    if (t.kind == Tok::Indent) {
        fail("unexpected indentation", t.at);
    } else if (atKeyword("if")) {
        s = ifStatement();
    } else if (atKeyword("while")) {
        s = whileStatement();
    } else if (atKeyword("for")) {
        s = forStatement();
    } else {
        return simpleLine(out);
    }
    if (!failed_)
        out.push_back(std::move(s));
}

// simple (';' simple)* [';'] NEWLINE
void Parser::simpleLine(Block &out) {
    do {
        if (peek().kind == Tok::Newline)
            break;
        StmtRef s = simpleStatement();
        if (failed_)
            return;
        out.push_back(std::move(s));
    } while (takeOp(";"));
    if (peek().kind != Tok::Newline)
        failExpected("an operator or the end of the statement");
    else
        ++pos_;
}

StmtRef Parser::simpleStatement() {
    if (peek().kind == Tok::Keyword)
        return keywordStatement();
    if (atOp("@"))
        return failStatement("decorators are not supported", peek().at);
    return expressionStatement();
}

StmtRef Parser::keywordStatement() {
    const Position at = peek().at;
    const std::string word = peek().text;
    for (const auto &[keyword, what] : unsupported)
        if (word == keyword)
            return failStatement(std::string(what) + " are not supported", at);
    if (word == "pass" || word == "break" || word == "continue") {
        ++pos_;
        return share(make(word == "pass" ? StmtKind::Pass : word == "break" ? StmtKind::Break : StmtKind::Continue, at));
    }
    if (word == "return") {
        Stmt s = make(StmtKind::Return, at);
        ++pos_;
        if (peek().kind != Tok::Newline && !atOp(";"))
            s.value = testList().e;
        return share(std::move(s));
    }
    if (word == "assert") {
        Stmt s = make(StmtKind::Assert, at);
        ++pos_;
        s.value = test().e;
        if (!failed_ && takeOp(","))
            s.extra = test().e;
        return share(std::move(s));
    }
    return expressionStatement();
}

StmtRef Parser::expressionStatement() {
    Stmt s = make(StmtKind::ExprStmt, peek().at);
    Node first = testList();
    if (!first)
        return nullptr;
    if (atOp(":")) {
        s.targets = {first.e};
        return annotated(std::move(s));
    }
    if (atOp("="))
        return assignment(std::move(s), first);
    for (const auto &[text, op] : augmented) {
        if (!takeOp(text))
            continue;
        if (first.e->kind == ExprKind::Tuple || !checkTarget(*first.e))
            return failStatement("cannot update this expression", s.at);
        s.kind = StmtKind::AugAssign;
        s.op = op;
        s.targets = {first.e};
        s.value = testList().e;
        return share(std::move(s));
    }
    s.value = first.e;
    return share(std::move(s));
}

// target ':' annotation ['=' value]
StmtRef Parser::annotated(Stmt s) {
    s.kind = StmtKind::AnnAssign;
    if (s.targets[0]->kind == ExprKind::Tuple || !checkTarget(*s.targets[0]))
        return failStatement("cannot annotate this expression", s.at);
    ++pos_;
    s.extra = test().e;
    if (!failed_ && takeOp("="))
        s.value = testList().e;
    return share(std::move(s));
}

// (target '=')+ value
StmtRef Parser::assignment(Stmt s, Node first) {
    s.kind = StmtKind::Assign;
    s.value = first.e;
    while (takeOp("=")) {
        if (!checkTarget(*s.value))
            return failStatement("cannot assign to this expression", s.value->at);
        s.targets.push_back(s.value);
        s.value = testList().e;
        if (!s.value)
            return nullptr;
    }
    return share(std::move(s));
}

bool Parser::checkTarget(const Expr &e) {
    if (e.kind == ExprKind::Tuple)
        return !e.args.empty() && std::all_of(e.args.begin(), e.args.end(), [this](const ExprRef &a) { return checkTarget(*a); });
    return e.kind == ExprKind::Name || e.kind == ExprKind::Attribute || e.kind == ExprKind::Subscript;
}

// The links of an elif chain are read in a loop and then nested from the last to the first.
StmtRef Parser::ifStatement() {
    std::vector<Stmt> links;
    do {
        Stmt s = make(StmtKind::If, peek().at);
        ++pos_;
        s.value = test().e;
        if (failed_)
            return nullptr;
        s.body = suite();
        links.push_back(std::move(s));
        if (links.size() > maxHeight)
            fail("`elif` chain has more than " + std::to_string(maxHeight) + " links", links.back().at);
    } while (!failed_ && atKeyword("elif"));
    if (!failed_ && takeKeyword("else"))
        links.back().orelse = suite();
    if (failed_)
        return nullptr;
    while (links.size() > 1) {
        StmtRef last = share(std::move(links.back()));
        links.pop_back();
        links.back().orelse = {last};
    }
    return share(std::move(links.back()));
}

void Parser::rejectElse(std::string_view loop) {
    if (!failed_ && atKeyword("else"))
        fail("`else` of a `" + std::string(loop) + "` loop is not supported", peek().at);
}

StmtRef Parser::whileStatement() {
    Stmt s = make(StmtKind::While, peek().at);
    ++pos_;
    s.value = test().e;
    if (!failed_)
        s.body = suite();
    rejectElse("while");
    return share(std::move(s));
}

StmtRef Parser::forStatement() {
    Stmt s = make(StmtKind::For, peek().at);
    ++pos_;
    if (peek().kind != Tok::Name || peek(1).kind != Tok::Keyword || peek(1).text != "in")
        return failStatement("the variable of a `for` loop must be one name", peek().at);
    s.targets = {postfix().e};
    ++pos_;
    s.value = testList().e;
    if (!failed_)
        s.body = suite();
    rejectElse("for");
    return share(std::move(s));
}

// ':' simple line, or ':' NEWLINE INDENT statement+ DEDENT
Parser::Block Parser::suite() {
    Block block;
    if (!expectOp(":"))
        return block;
    if (peek().kind != Tok::Newline) {
        if (atKeyword("if") || atKeyword("while") || atKeyword("for"))
            fail("`" + peek().text + "` cannot be on the same line as another statement", peek().at);
        else
            simpleLine(block);
        return block;
    }
    ++pos_;
    if (peek().kind != Tok::Indent) {
        failExpected("an indented block");
        return block;
    }
    if (++blocks_ > maxBlocks)
        fail("blocks are nested more than " + std::to_string(maxBlocks) + " levels deep", peek().at);
    ++pos_;
    while (!failed_ && peek().kind != Tok::Dedent && peek().kind != Tok::End)
        statement(block);
    if (peek().kind == Tok::Dedent)
        ++pos_;
    --blocks_;
    return block;
}

} // namespace sdfgc::py::detail

namespace sdfgc::py {

namespace {

/// Caches parsed texts. Passes and the verifier parse the same code again and again (a fifth of the time for a small graph), and
/// trees are immutable, so they can be shared. When there are too many texts, the entire cache is cleared.
template <class T> class Known {
public:
    template <class Parse> const Parsed<T> &of(std::string_view text, const Parse &parse) {
        if (const auto at = texts_.find(text); at != texts_.end())
            return at->second;
        if ((bytes_ += text.size()) > kMostBytes) {
            texts_.clear();
            bytes_ = text.size();
        }
        return texts_.emplace(std::string(text), parse(text)).first->second;
    }

private:
    static constexpr std::size_t kMostBytes = 1 << 20;
    std::map<std::string, Parsed<T>, std::less<>> texts_;
    std::size_t bytes_ = 0;
};

} // namespace

Parsed<ExprRef> parseExpr(std::string_view text) {
    thread_local Known<ExprRef> known;
    return known.of(text, [](std::string_view t) -> Parsed<ExprRef> {
        auto tokens = detail::lex(t, detail::LexMode::Expression);
        if (!tokens.value)
            return {std::nullopt, tokens.error};
        return detail::Parser(std::move(*tokens.value)).wholeExpression();
    });
}

Parsed<std::vector<StmtRef>> parseBlock(std::string_view text) {
    thread_local Known<std::vector<StmtRef>> known;
    return known.of(text, [](std::string_view t) -> Parsed<std::vector<StmtRef>> {
        auto tokens = detail::lex(t, detail::LexMode::Block);
        if (!tokens.value)
            return {std::nullopt, tokens.error};
        return detail::Parser(std::move(*tokens.value)).wholeBlock();
    });
}

ExprRef parseExprOrRaw(std::string_view text) {
    auto parsed = parseExpr(text);
    return parsed.value ? *parsed.value : raw(std::string(text));
}

std::vector<StmtRef> parseBlockOrRaw(std::string_view text) {
    auto parsed = parseBlock(text);
    return parsed.value ? *parsed.value : std::vector{rawStatement(std::string(text))};
}

} // namespace sdfgc::py
