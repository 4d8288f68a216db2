// A place in a graph's text, and the steps from there: blanks, words, quoted texts, brackets.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::serialize::text {

/// Thrown where a statement cannot be read on; it has been reported. Caught by the loop over statements, unless nothing comes
/// after.
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
    /// Past blanks and a comment, to the end of the line at most.
    void blanks();
    /// Past blanks, comments and line ends.
    void lines();
    /// After blanks: does the line end here?
    bool atLineEnd();
    bool startsWith(std::string_view s) const { return text_.substr(at, s.size()) == s; }
    /// Takes the text if it comes next, after blanks.
    bool accept(std::string_view s);
    /// Takes the word if it comes next, after blanks, as a word of its own.
    bool acceptWord(std::string_view word);
    /// The word here (after blanks), which is taken; empty if there is none.
    std::string_view word(bool dotted = false);
    /// The rest of the line up to two blanks or the line's end, which is taken; `beforeBrace`: up to the brace that opens a block,
    /// too (headEnd).
    std::string_view rawLine(bool beforeBrace);
    /// The rest of the line as it is, with its end, which is taken.
    std::string_view wholeLine();
    /// How far the line of a place is indented, in characters.
    std::size_t indentation(std::size_t of) const;
    /// The closing bracket that belongs to the opening one here; npos if there is none in the next lines, or another bracket is
    /// closed before. Texts in quotes are skipped.
    std::size_t closing() const;

    /// Linear in the distance from the place that was asked for last.
    diag::Location place(std::size_t of) const;
    /// What stands at a place, for messages: "`x`", "the end of the line".
    std::string describe(std::size_t of) const;

private:
    std::string_view text_;
    std::string file_;
    mutable std::size_t knownAt_ = 0; // places that are asked for are near each other
    mutable int knownLine_ = 1;
};

} // namespace sdfgc::serialize::text
