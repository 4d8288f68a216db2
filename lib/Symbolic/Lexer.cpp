#include "Symbolic/Lexer.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sdfgc::sym {
namespace {

enum CharClass : uint8_t { Other, Space, Digit, Letter };

constexpr std::array<CharClass, 256> charClasses = [] {
    std::array<CharClass, 256> table{};
    for (int c = 0; c < 256; ++c) {
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; // DaCe's names are ASCII, too
        table[static_cast<std::size_t>(c)] = letter                                            ? Letter
                                             : c >= '0' && c <= '9'                            ? Digit
                                             : c == ' ' || c == '\t' || c == '\n' || c == '\r' ? Space
                                                                                               : Other;
    }
    return table;
}();

CharClass classOf(char c) { return charClasses[static_cast<unsigned char>(c)]; }

constexpr std::string_view suffixes[] = {"i8",  "i16", "i32",  "i64",    "u8",   "u16", "u32",
                                         "u64", "f16", "bf16", "e4m3fn", "e5m2", "f32", "f64"};

} // namespace

bool isNumberSuffix(std::string_view text) {
    return std::find(std::begin(suffixes), std::end(suffixes), text) != std::end(suffixes);
}

std::size_t Lexer::digitsEnd(std::size_t from) const {
    while (classOf(at(from)) == Digit)
        ++from;
    return from;
}

std::size_t Lexer::nameEnd(std::size_t from) const {
    while (classOf(at(from)) >= Digit)
        ++from;
    return from;
}

Token Lexer::make(Tok kind, std::size_t length) {
    Token t{kind, text_.substr(pos_, length), {}, pos_, pos_ + length};
    pos_ += length;
    return t;
}

Token Lexer::next() {
    while (classOf(at(pos_)) == Space)
        ++pos_;
    if (pos_ >= text_.size())
        return {Tok::End, {}, {}, text_.size(), text_.size()};
    char c = text_[pos_];
    switch (classOf(c)) {
    case Letter:
        return make(Tok::Name, nameEnd(pos_) - pos_);
    case Digit:
        return number();
    default:
        break;
    }
    if (c == '.' && classOf(at(pos_ + 1)) == Digit)
        return number();
    return c == '$' ? dollar() : operatorToken();
}

Token Lexer::dollar() {
    if (at(pos_ + 1) == '?')
        return make(Tok::Undefined, 2);
    if (classOf(at(pos_ + 1)) != Letter)
        return make(Tok::Error, 1);
    Token t = make(Tok::Dollar, nameEnd(pos_ + 1) - pos_);
    t.text.remove_prefix(1);
    return t;
}

/// Digits, fraction, exponent, then a type suffix or `j`. A suffix such as e5m2 is tried before an exponent.
Token Lexer::number() {
    std::size_t start = pos_, end = digitsEnd(pos_);
    bool isFloat = at(end) == '.';
    if (isFloat)
        end = digitsEnd(end + 1);
    std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-';
    bool exponent = (at(end) == 'e' || at(end) == 'E') && classOf(at(end + 1 + sign)) == Digit;
    if (exponent && !isNumberSuffix(text_.substr(end, nameEnd(end) - end))) {
        isFloat = true;
        end = digitsEnd(end + 1 + sign);
    }
    std::string_view digits = text_.substr(start, end - start), suffix = text_.substr(end, nameEnd(end) - end);
    bool imaginary = suffix == "j";
    Tok kind = imaginary ? Tok::Imaginary : isFloat ? Tok::Float : Tok::Integer;
    if (!imaginary && !suffix.empty() && !isNumberSuffix(suffix))
        kind = Tok::Error;
    pos_ = end + suffix.size();
    return {kind, digits, imaginary ? std::string_view() : suffix, start, pos_};
}

Token Lexer::operatorToken() {
    char c = text_[pos_], d = at(pos_ + 1);
    auto one = [&](Tok kind) { return make(kind, 1); };
    auto oneOrTwo = [&](char second, Tok two, Tok single) { return d == second ? make(two, 2) : make(single, 1); };
    switch (c) {
    case '+':
        return one(Tok::Plus);
    case '-':
        return one(Tok::Minus);
    case '*':
        return oneOrTwo('*', Tok::StarStar, Tok::Star);
    case '/':
        return oneOrTwo('/', Tok::SlashSlash, Tok::Slash);
    case '%':
        return one(Tok::Percent);
    case '&':
        return one(Tok::Amp);
    case '|':
        return one(Tok::Pipe);
    case '^':
        return one(Tok::Caret);
    case '~':
        return one(Tok::Tilde);
    case '=':
        return oneOrTwo('=', Tok::EqEq, Tok::Assign);
    case '!':
        return oneOrTwo('=', Tok::NotEq, Tok::Error);
    case '<':
        return d == '<' ? make(Tok::Shl, 2) : oneOrTwo('=', Tok::LessEq, Tok::Less);
    case '>':
        return d == '>' ? make(Tok::Shr, 2) : oneOrTwo('=', Tok::GreaterEq, Tok::Greater);
    case '(':
        return one(Tok::LParen);
    case ')':
        return one(Tok::RParen);
    case '[':
        return one(Tok::LBracket);
    case ']':
        return one(Tok::RBracket);
    case ',':
        return one(Tok::Comma);
    case '.':
        return one(Tok::Dot);
    case '?':
        return one(Tok::Undefined);
    default:
        return one(Tok::Error);
    }
}

} // namespace sdfgc::sym
