// A position in a graph's text, and the ways to advance it: blanks, words, quoted texts, brackets.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::serialize::text {

/// Thrown if a statement cannot be parsed any further; this has been reported. Caught by the loop over statements, unless there are
/// no further ones.
struct Unreadable {
    bool isLast = false;
};

class Cursor {
public:
    Cursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    std::size_t at = 0;

    std::string_view text() const { return text_; }
    char peek(std::size_t ahead = 0) const { return at + ahead < text_.size() ? text_[at + ahead] : '\0'; }
    bool atEnd() const { return at >= text_.size(); }
    /// Skips blanks and a comment, at most to the end of the line.
    void blanks();
    /// Skips blanks, comments and line ends.
    void lines();
    /// Does the line end here, after blanks?
    bool atLineEnd();
    bool startsWith(std::string_view s) const { return text_.substr(at, s.size()) == s; }
    /// Consumes the text if it comes next, after blanks.
    bool accept(std::string_view s);
    /// Consumes the word if it comes next, after blanks, as a complete word.
    bool acceptWord(std::string_view word);
    /// Consumes the word here (after blanks); empty if there is none.
    std::string_view word(bool dotted = false);
    /// Consumes the rest of the line up to two blanks or its end; with `beforeBrace`, at most up to the brace that opens a block
    /// (headEnd).
    std::string_view rawLine(bool beforeBrace);
    /// Consumes the rest of the line with its end, unchanged.
    std::string_view wholeLine();
    /// The indentation of the line at a position, in characters.
    std::size_t indentation(std::size_t of) const;
    /// The bracket that closes the one here; npos if there is none in the next lines, or if another bracket is closed first. Quoted
    /// texts are skipped.
    std::size_t closing() const;

    /// Linear in the distance from the last position queried.
    diag::Location place(std::size_t of) const;
    /// A description of the text at a position, for messages: "`x`", "the end of the line".
    std::string describe(std::size_t of) const;

private:
    std::string_view text_;
    std::string file_;
    mutable std::size_t knownAt_ = 0; // positions queried are close to each other
    mutable int knownLine_ = 1;
};

} // namespace sdfgc::serialize::text
