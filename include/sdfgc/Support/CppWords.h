// Words of C++ text: identifiers and keywords, as distinct from numbers, comments and literals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sdfgc {

/// May the character be part of an identifier?
bool isCppWord(char c);

struct CppWord {
    enum Where : uint8_t { Code, Literal, Directive };

    std::string_view text; // part of the given text
    std::size_t at;        // start offset
    Where where; // Literal: in a string, which may still be code (`_Pragma("...")`); Directive: in a line of the preprocessor
    bool member; // `a.x`, `a->x`, `A::x`
    char before; // the last character before it that is neither white space nor in a comment; 0: none
};

/// Returns the words of C++ text in order. Excludes numbers with their exponents, suffixes and separators (`0x1F`,
/// `1e5`, `10L`, `1'000u`, `.5f`), character literals, prefixes and suffixes of literals (`u8"..."`, `R"(...)"`,
/// `"..."s`), and comments. Total: unterminated literals and comments extend to the end of the text.
std::vector<CppWord> cppWords(std::string_view text);

} // namespace sdfgc
