// The tightest part of the grammar: names, literals, brackets and their suffixes.
#include "Tasklet/Parser.h"

#include <algorithm>

namespace sdfgc::py::detail {

Parser::Node Parser::postfix() {
    Node n = atom();
    while (n) {
        if (atOp("(")) {
            n = call(n);
        } else if (atOp("[")) {
            n = subscript(n);
        } else if (atOp(".")) {
            Expr e = start(ExprKind::Attribute, n.e->at);
            ++pos_;
            if (peek().kind != Tok::Name)
                return failExpected("a name after `.`");
            e.name = Name(peek().text);
            ++pos_;
            e.args = {n.e};
            n = finish(std::move(e), n.height);
        } else {
            break;
        }
    }
    return n;
}

Parser::Node Parser::subscript(Node base) {
    Expr e = start(ExprKind::Subscript, base.e->at);
    e.args = {base.e};
    int height = base.height;
    ++pos_;
    do {
        if (atOp("]") && e.args.size() > 1)
            break;
        Node index = subscriptIndex();
        if (!index)
            return {};
        // a[(i, j)] is a[i, j]
        if (index.e->kind == ExprKind::Tuple && !index.e->args.empty() && e.args.size() == 1 && atOp("]"))
            e.args.insert(e.args.end(), index.e->args.begin(), index.e->args.end());
        else
            e.args.push_back(index.e);
        height = std::max(height, index.height);
    } while (takeOp(","));
    if (e.args.size() == 1)
        return fail("a subscript needs an index", e.at);
    if (!expectOp("]"))
        return {};
    return finish(std::move(e), height);
}

Parser::Node Parser::subscriptIndex() {
    const Position at = peek().at;
    Node begin;
    if (!atOp(":")) {
        begin = test();
        if (!begin || !atOp(":"))
            return begin;
    }
    Expr e = start(ExprKind::Slice, at);
    e.args = {begin.e, nullptr, nullptr};
    int height = begin.height;
    for (std::size_t k = 1; k < 3 && takeOp(":"); ++k) {
        if (atOp(":") || atOp("]") || atOp(","))
            continue;
        Node bound = test();
        if (!bound)
            return {};
        e.args[k] = bound.e;
        height = std::max(height, bound.height);
    }
    return finish(std::move(e), height);
}

Parser::Node Parser::call(Node callee) {
    Expr e = start(ExprKind::Call, callee.e->at);
    e.args = {callee.e};
    int height = callee.height;
    ++pos_;
    while (!takeOp(")")) {
        if (atOp("*") || atOp("**"))
            return fail("starred arguments are not supported", peek().at);
        const bool isKeyword = peek().kind == Tok::Name && peek(1).kind == Tok::Op && peek(1).text == "=";
        Keyword keyword;
        if (isKeyword) {
            keyword.name = Name(peek().text);
            pos_ += 2;
        } else if (!e.keywords.empty()) {
            return fail("positional argument after a keyword argument", peek().at);
        }
        Node value = test();
        if (!value)
            return {};
        if (atKeyword("for") || atKeyword("async"))
            return fail("generator expressions are not supported", peek().at);
        height = std::max(height, value.height);
        if (isKeyword)
            e.keywords.push_back({keyword.name, value.e});
        else
            e.args.push_back(value.e);
        if (!takeOp(",") && !atOp(")"))
            return failExpected("`,` or `)` in the call");
    }
    return finish(std::move(e), height);
}

Parser::Node Parser::atom() {
    const Token &t = peek();
    switch (t.kind) {
    case Tok::Name: {
        Expr e = start(ExprKind::Name, t.at);
        e.name = Name(t.text);
        ++pos_;
        return finish(std::move(e), 0);
    }
    case Tok::Int:
    case Tok::Float:
    case Tok::Imaginary: {
        Expr e = start(t.kind == Tok::Int ? ExprKind::Int : t.kind == Tok::Float ? ExprKind::Float : ExprKind::Imaginary, t.at);
        e.text = t.text;
        ++pos_;
        return finish(std::move(e), 0);
    }
    case Tok::String:
        return stringAtom();
    case Tok::Keyword:
        return atomKeyword();
    case Tok::Op:
        if (t.text == "(")
            return parenthesised();
        if (t.text == "[")
            return fail("list displays and list comprehensions are not supported", t.at);
        if (t.text == "{")
            return fail("dictionaries, sets and their comprehensions are not supported", t.at);
        if (t.text == "*" || t.text == "**")
            return fail("starred expressions are not supported", t.at);
        if (t.text == "...")
            return fail("`...` is not supported", t.at);
        break;
    default:
        break;
    }
    return failExpected("an expression");
}

Parser::Node Parser::stringAtom() {
    Expr e = start(ExprKind::String, peek().at);
    for (; peek().kind == Tok::String; ++pos_) // adjacent literals are concatenated
        e.text += peek().text;
    return finish(std::move(e), 0);
}

Parser::Node Parser::parenthesised() {
    const Position at = peek().at;
    ++pos_;
    if (takeOp(")"))
        return finish(start(ExprKind::Tuple, at), 0);
    if (atKeyword("yield"))
        return fail("`yield` is not supported", at);
    Node n = testList();
    if (!n)
        return {};
    if (atKeyword("for") || atKeyword("async"))
        return fail("generator expressions are not supported", peek().at);
    return expectOp(")") ? n : Node{};
}

Parser::Node Parser::atomKeyword() {
    const Token &t = peek();
    if (t.text == "True" || t.text == "False") {
        Expr e = start(ExprKind::Bool, t.at);
        e.text = t.text;
        ++pos_;
        return finish(std::move(e), 0);
    }
    if (t.text == "None") {
        ++pos_;
        return finish(start(ExprKind::None, t.at), 0);
    }
    if (t.text == "yield" || t.text == "await")
        return fail("`" + t.text + "` is not supported", t.at);
    return failExpected("an expression");
}

} // namespace sdfgc::py::detail
