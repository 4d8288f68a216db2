// The text of MLIR as tokens, and its types.
#pragma once

#include "sdfgc/Types/Type.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace sdfgc::mlir {

/// Why a text cannot be translated. Does not leave the library.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class TokenKind : uint8_t { End, Word, Value, Symbol, Block, Number, String, Mark };

/// `text` is without the sign of a value (%), symbol (@) or block (^), and without quotes. A Word may contain dots.
struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;
};

class Tokens {
public:
    explicit Tokens(std::string_view text) : text_(text) { advance(); }

    const Token &peek() const { return next_; }
    Token take();
    bool is(std::string_view mark) const { return next_.kind == TokenKind::Mark && next_.text == mark; }
    bool isWord(std::string_view word) const { return next_.kind == TokenKind::Word && next_.text == word; }
    bool accept(std::string_view mark);
    bool acceptWord(std::string_view word);
    void expect(std::string_view mark);
    std::string expectKind(TokenKind kind, std::string_view what);
    /// Skips a balanced pair that begins here: `{...}` of attributes, `<...>` of flags.
    void skipPair(std::string_view open, std::string_view close);

    /// Reads `i32`, `ui8`, `f64`, `index`, `vector<4xi32>`.
    Type type();
    /// The position after the token that comes next, for `goTo`.
    std::size_t mark() const { return start_; }
    void goTo(std::size_t mark);

private:
    void advance();
    void skipBlanks();
    Token word(TokenKind kind, std::size_t from);
    Type elementType(const std::string &name) const;

    std::string_view text_;
    std::size_t at_ = 0, start_ = 0;
    Token next_;
};

} // namespace sdfgc::mlir
