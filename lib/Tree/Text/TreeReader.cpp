// Tokens, names, types and sizes.
#include "TreeReader.h"

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Types/CppTypeName.h"

#include <algorithm>
#include <charconv>

namespace sdfgc::tree::text {

void TreeReader::fail(const std::string &message, const Token &at) const {
    if (at.kind == Token::Bad)
        throw SyntaxError{at.text, at.line, at.column};
    throw SyntaxError{message, at.line, at.column};
}

std::string TreeReader::here() const {
    switch (peek().kind) {
    case Token::Newline:
        return "the end of the line";
    case Token::End:
        return "the end of the text";
    case Token::Note:
        return "a comment";
    case Token::Line:
        return "a line of code";
    case Token::String:
        return "a text";
    default:
        return "`" + peek().text + "`";
    }
}

void TreeReader::expectSign(std::string_view s) {
    if (!takeSign(s))
        fail("expected `" + std::string(s) + "`, but found " + here());
}

void TreeReader::expectWord(std::string_view w) {
    if (!isWord(w))
        fail("expected `" + std::string(w) + "`, but found " + here());
    take();
}

void TreeReader::endLine() {
    if (peek().kind == Token::End)
        return;
    if (peek().kind != Token::Newline)
        fail("expected the end of the statement, but found " + here());
    skipEmptyLines();
}

void TreeReader::skipEmptyLines() {
    while (peek().kind == Token::Newline)
        take();
}

std::string TreeReader::string() {
    if (peek().kind != Token::String)
        fail("expected a text in quotes, but found " + here());
    return take().text;
}

Name TreeReader::name() {
    if (peek().kind != Token::Word && peek().kind != Token::String)
        fail("expected a name, but found " + here());
    // Names end up in files and in C++, so names that are invalid in a graph are invalid here, too. `S'1` is the second structure
    // with the name.
    const std::string_view text = peek().text, plain = text.substr(0, text.find('\''));
    if (!ir::isIdentifier(plain, true))
        fail("`" + std::string(text) + "` is not an identifier");
    return Name(take().text);
}

int64_t TreeReader::number() {
    const bool negative = takeSign("-");
    int64_t v = 0;
    const std::string &digits = peek().text;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (peek().kind != Token::Number || error != std::errc() || end != digits.data() + digits.size())
        fail("expected an integer, but found " + here());
    take();
    return negative ? -v : v;
}

std::string TreeReader::code() {
    expectSign("{");
    if (peek().kind != Token::Newline)
        fail("code starts on a new line");
    take();
    std::string text;
    bool first = true;
    while (peek().kind == Token::Line) {
        text += (first ? "" : "\n") + take().text;
        first = false;
        if (peek().kind == Token::Newline)
            take();
    }
    expectSign("}");
    return text;
}

// ---------------------------------------------------------------------------------------------------------------- types

Type TreeReader::type() {
    const Nested nested(*this);
    Type t = typeAtom();
    while (isSign("*") || isSign("**")) {
        t = Type::pointer(t);
        if (take().text == "**")
            t = Type::pointer(t);
    }
    return t;
}

Type TreeReader::opaque() {
    const Token at = peek();
    const std::string name = string();
    if (!isCppTypeName(name))
        fail("`" + name + "` is not a C++ type", at);
    return Type::opaque(Name(name));
}

Type TreeReader::typeAtom() {
    const Token at = peek();
    if (at.kind != Token::Word)
        fail("expected a type, but found " + here());
    take();
    if (at.text == "void")
        return {};
    if (at.text == "struct") {
        const Token word = peek();
        auto known = structs.find(name());
        if (known == structs.end())
            fail("there is no structure `" + word.text + "`", word);
        return known->second;
    }
    if (at.text == "opaque")
        return opaque();
    if (at.text == "vector") {
        expectSign("(");
        Type element = type();
        expectSign(",");
        const int64_t lanes = number();
        expectSign(")");
        return Type::vector(element, lanes);
    }
    if (at.text == "callback")
        return callback();
    auto scalar = scalarTypeByName(at.text);
    if (!scalar)
        fail("there is no type `" + at.text + "`", at);
    return *scalar;
}

Type TreeReader::callback() {
    std::vector<Type> types[2];
    std::vector<std::string> json[2];
    bool hasJson[2] = {false, false};
    expectSign("(");
    for (int part = 0; part < 2; ++part) {
        while (!isSign("->") && !isSign(")")) {
            types[part].push_back(type());
            json[part].push_back(peek().kind == Token::String ? take().text : std::string());
            hasJson[part] = hasJson[part] || !json[part].back().empty();
            if (!takeSign(","))
                break;
        }
        expectSign(part == 0 ? "->" : ")");
        if (!hasJson[part])
            json[part].clear();
    }
    return Type::callback(types[0], types[1], json[0], json[1]);
}

// ---------------------------------------------------------------------------------------------------------------- sizes

std::size_t TreeReader::skipBrackets(std::size_t i) const {
    int open = 0;
    do {
        const Token &t = tokens_[i];
        if (t.kind == Token::End || t.kind == Token::Bad)
            fail("a bracket is not closed", t);
        if (t.kind == Token::Sign)
            open += t.text == "(" || t.text == "[" ? 1 : t.text == ")" || t.text == "]" ? -1 : 0;
        ++i;
    } while (open > 0);
    return i;
}

/// The first token after an operand with its signs, calls, subscripts and members.
std::size_t TreeReader::skipOperand(std::size_t i) const {
    auto is = [&](std::string_view s) {
        return (tokens_[i].kind == Token::Sign || tokens_[i].kind == Token::Word) && tokens_[i].text == s;
    };
    while (is("-") || is("+") || is("~") || is("not"))
        ++i;
    if (is("("))
        i = skipBrackets(i);
    else if (tokens_[i].kind == Token::Word || tokens_[i].kind == Token::Number || is("?"))
        ++i;
    else
        fail("expected a size", tokens_[i]);
    while (is("(") || is("[") || is(".")) {
        if (!is(".")) {
            i = skipBrackets(i);
            continue;
        }
        if (tokens_[i + 1].kind != Token::Word && tokens_[i + 1].kind != Token::String)
            fail("expected a name", tokens_[i + 1]);
        i += 2;
    }
    if (tokens_[i].kind == Token::Word && tokens_[i].begin == tokens_[i - 1].end) // `(1 + 2j)c128`
        ++i;
    return i;
}

Type TreeReader::structure() {
    take();
    const Name name = this->name();
    std::vector<std::pair<Name, Type>> members;
    std::vector<std::pair<Name, std::string>> lengths;
    expectSign("{");
    while (!isSign("}")) {
        const Name member = this->name();
        expectSign(":");
        members.emplace_back(member, type());
        if (peek().kind == Token::String)
            lengths.emplace_back(member, string());
        if (!takeSign(","))
            break;
    }
    expectSign("}");
    endLine();
    const std::string spelled = name.str().substr(0, name.str().find('\''));
    return structs[name] = Type::structure(Name(spelled), std::move(members), std::move(lengths));
}

sym::Expr TreeReader::size() {
    auto continues = [&](const Token &t) {
        static constexpr std::string_view all[] = {"+",  "-",  "*", "/",  "//", "%",  "**", "<<",   ">>",  "&",  "|",  "^",
                                                   "==", "!=", "<", "<=", ">",  ">=", "if", "else", "and", "or", "is", "in"};
        return (t.kind == Token::Sign || t.kind == Token::Word) &&
               std::find(std::begin(all), std::end(all), t.text) != std::end(all);
    };
    const Token first = peek();
    std::size_t i = skipOperand(at_);
    while (continues(tokens_[i]))
        i = skipOperand(i + 1);
    const std::size_t end = tokens_[i - 1].end;
    sym::ParseResult parsed = sym::parse(source_.substr(first.begin, end - first.begin));
    if (!parsed.expr)
        fail("the size cannot be read: " + parsed.error, first);
    at_ = i;
    return *parsed.expr;
}

std::vector<sym::Expr> TreeReader::sizes() {
    std::vector<sym::Expr> out;
    expectSign("[");
    while (!isSign("]")) {
        out.push_back(size());
        if (!takeSign(","))
            break;
    }
    expectSign("]");
    return out;
}

} // namespace sdfgc::tree::text
