// Tokens of symbolic strings (format reference 1.8), read one at a time without copying.
#pragma once

#include <cstdint>
#include <string_view>

namespace sdfgc::sym {

enum class Tok : uint8_t {
    End,
    Error,
    Integer,
    Float,
    Imaginary, // with an optional type suffix
    Name,
    Dollar /* $name */,
    Undefined /* ? or $? */,
    Plus,
    Minus,
    Star,
    StarStar,
    Slash,
    SlashSlash,
    Percent,
    Amp,
    Pipe,
    Caret,
    Tilde,
    Shl,
    Shr,
    EqEq,
    NotEq,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Assign,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Comma,
    Dot,
};

struct Token {
    Tok kind = Tok::End;
    std::string_view text;          // digits of a number without suffix, a name without `$`
    std::string_view suffix;        // `i64`, `f32`, ... of a number
    std::size_t begin = 0, end = 0; // bytes in the text
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    /// The next token; End forever after the last one.
    Token next();

private:
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    Token number();
    Token dollar();
    Token operatorToken();
    Token make(Tok kind, std::size_t length);
    std::size_t digitsEnd(std::size_t from) const;
    std::size_t nameEnd(std::size_t from) const;

    std::string_view text_;
    std::size_t pos_ = 0;
};

/// Is it a suffix of a typed number literal: `i64`, `u8`, `f32`, `bf16`, `e4m3fn`, ...?
bool isNumberSuffix(std::string_view text);

} // namespace sdfgc::sym
