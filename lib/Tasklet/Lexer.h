// Tokens of the Python subset.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::py::detail {

enum class Tok : uint8_t {
    End,
    Newline, // end of a logical line
    Indent,
    Dedent,
    Name,
    Keyword,
    Int,       // text: decimal digits
    Float,     // text: shortest round-trip token
    Imaginary, // text: the imaginary part as Float
    String,    // text: content
    Op,
};

struct Token {
    Tok kind;
    std::string text;
    Position at;
};

enum class LexMode : uint8_t {
    Expression, // line ends are white space
    Block,      // line ends and indentation are tokens
};

/// Splits `text` into tokens, the last of which is End. Fails on characters that Python does not use (which exposes C++ text),
/// unfinished strings, malformed numbers and inconsistent indentation, and rejects bytes and f-strings by name.
Parsed<std::vector<Token>> lex(std::string_view text, LexMode mode);

} // namespace sdfgc::py::detail
