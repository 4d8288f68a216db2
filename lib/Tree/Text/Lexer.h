// Words, numbers and signs of the schedule tree's text. Each statement is on one line; inside parentheses line breaks are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::tree::text {

struct Token {
    enum Kind : uint8_t {
        Word,   // `copy`, `x'2`
        Number, // as written
        String, // unescaped
        Raw,    // between back quotes, unescaped
        Sign,   // operators and brackets
        Note,   // after `#`, to the end of the line
        Line,   // after `|` at the beginning of a line, to its end
        Newline,
        End,
        Bad, // a message
    } kind = End;
    std::string text;
    std::size_t begin = 0, end = 0; // bytes in the source
    int line = 1, column = 1;
};

/// All tokens; the last one is End or Bad. Remarks (`;` to the end of the line) are skipped.
std::vector<Token> tokens(std::string_view source);

} // namespace sdfgc::tree::text
