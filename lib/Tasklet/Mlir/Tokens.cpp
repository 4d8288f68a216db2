#include "Tasklet/Mlir/Tokens.h"

#include <cctype>
#include <charconv>
#include <map>

namespace sdfgc::mlir {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$'; }

} // namespace

Token Tokens::take() {
    Token t = next_;
    advance();
    return t;
}

bool Tokens::accept(std::string_view mark) {
    if (!is(mark))
        return false;
    advance();
    return true;
}

bool Tokens::acceptWord(std::string_view word) {
    if (!isWord(word))
        return false;
    advance();
    return true;
}

void Tokens::expect(std::string_view mark) {
    if (!accept(mark))
        throw Refused("`" + std::string(mark) + "` was expected" +
                      (next_.text.empty() ? " before its end" : " before `" + next_.text + "`"));
}

std::string Tokens::expectKind(TokenKind kind, std::string_view what) {
    if (next_.kind != kind)
        throw Refused(std::string(what) + " was expected" +
                      (next_.text.empty() ? " before its end" : " before `" + next_.text + "`"));
    return take().text;
}

void Tokens::skipPair(std::string_view open, std::string_view close) {
    expect(open);
    for (int depth = 1; depth > 0;) {
        if (next_.kind == TokenKind::End)
            throw Refused("`" + std::string(close) + "` is missing");
        depth += is(open) ? 1 : is(close) ? -1 : 0;
        advance();
    }
}

void Tokens::goTo(std::size_t mark) {
    at_ = mark;
    advance();
}

void Tokens::skipBlanks() {
    while (at_ < text_.size()) {
        if (std::isspace(static_cast<unsigned char>(text_[at_])))
            ++at_;
        else if (text_.substr(at_, 2) == "//")
            at_ = std::min(text_.find('\n', at_), text_.size());
        else
            return;
    }
}

Token Tokens::word(TokenKind kind, std::size_t from) {
    while (at_ < text_.size() && isWordPart(text_[at_]))
        ++at_;
    return {kind, std::string(text_.substr(from, at_ - from))};
}

void Tokens::advance() {
    skipBlanks();
    start_ = at_;
    next_ = {};
    if (at_ == text_.size())
        return;
    const char c = text_[at_];
    if (c == '%' || c == '@' || c == '^') {
        ++at_;
        next_ = word(c == '%' ? TokenKind::Value : c == '@' ? TokenKind::Symbol : TokenKind::Block, at_);
        if (next_.kind == TokenKind::Value && at_ < text_.size() && text_[at_] == '#') { // one of several results
            ++at_;
            next_.text += '#' + word(TokenKind::Value, at_).text;
        }
    } else if (c == '"') {
        const std::size_t end = text_.find('"', at_ + 1);
        if (end == std::string_view::npos)
            throw Refused("a string does not end");
        next_ = {TokenKind::String, std::string(text_.substr(at_ + 1, end - at_ - 1))};
        at_ = end + 1;
    } else if (isDigit(c) || (c == '-' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]))) {
        const std::size_t from = at_++;
        while (at_ < text_.size() && (isWordPart(text_[at_]) || ((text_[at_] == '-' || text_[at_] == '+') &&
                                                                 (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))))
            ++at_;
        next_ = {TokenKind::Number, std::string(text_.substr(from, at_ - from))};
    } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
        next_ = word(TokenKind::Word, at_);
    } else {
        const std::size_t length = text_.substr(at_, 2) == "->" ? 2 : 1;
        next_ = {TokenKind::Mark, std::string(text_.substr(at_, length))};
        at_ += length;
    }
}

Type Tokens::elementType(const std::string &name) const {
    static const std::map<std::string, Type, std::less<>> known{
        {"i1", ScalarKind::Bool},     {"i8", ScalarKind::Int8},     {"i16", ScalarKind::Int16},   {"i32", ScalarKind::Int32},
        {"i64", ScalarKind::Int64},   {"si8", ScalarKind::Int8},    {"si16", ScalarKind::Int16},  {"si32", ScalarKind::Int32},
        {"si64", ScalarKind::Int64},  {"ui8", ScalarKind::UInt8},   {"ui16", ScalarKind::UInt16}, {"ui32", ScalarKind::UInt32},
        {"ui64", ScalarKind::UInt64}, {"f16", ScalarKind::Float16}, {"f32", ScalarKind::Float32}, {"f64", ScalarKind::Float64},
        {"index", ScalarKind::Int64}};
    const auto found = known.find(name);
    if (found == known.end())
        throw Refused("the type `" + name + "` is not translated");
    return found->second;
}

Type Tokens::type() {
    const std::string name = expectKind(TokenKind::Word, "a type");
    if (name != "vector")
        return elementType(name);
    expect("<");
    const std::string shape = expectKind(TokenKind::Number, "the length of a vector"); // `4xi32`
    int64_t lanes = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), lanes);
    const std::size_t digits = static_cast<std::size_t>(end - shape.data());
    if (error != std::errc() || lanes < 1 || digits == shape.size() || shape[digits] != 'x')
        throw Refused("the type `vector<" + shape + ">` is not translated");
    const Type t = Type::vector(elementType(shape.substr(digits + 1)), lanes);
    expect(">");
    return t;
}

} // namespace sdfgc::mlir
