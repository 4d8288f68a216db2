// Words of the text form (docs/user/graph-text.md): which texts are written as they are, and which in quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::serialize::text {

/// Letters, digits and underscores, not starting with a digit; `dotted` allows several of them joined by points.
bool isWord(std::string_view s, bool dotted = false);
/// The length of the word at the start of `s`, or 0.
std::size_t wordLength(std::string_view s, bool dotted = false);
/// Does this word begin a statement or an item? Labels that equal such a word are quoted.
bool isKeyword(std::string_view s);
/// The words that begin declarations, blocks and edges, for suggestions.
const std::vector<std::string> &regionWords();
/// `true`, `null`, `NaN`, ...: words of JSON that are not strings.
bool isLiteral(std::string_view s);
/// Can a value contain the string without quotes?
inline bool isPlainString(std::string_view s) { return isWord(s) && !isLiteral(s); }
/// Can a line contain the text without quotes? Such a text extends to the end of the line or to two blanks: it is not empty, has
/// neither two blanks nor control characters, no blank at either end, does not begin like a quote or a comment, and contains no
/// connectors (swallowedItems).
bool fitsLine(std::string_view s);
/// The position of `with` if code contains the text that would follow it in the line after two blanks, `with a <- A[i]`; otherwise
/// npos. Such code is quoted.
std::size_t swallowedItems(std::string_view code);
/// The end of a line of code before a block: at the first ` {` that is followed by nothing but blanks and then `}`, a comment or
/// the end of the line; npos if there is none.
std::size_t headEnd(std::string_view line);
/// Can the text appear without quotes before a brace that opens a block?
bool fitsHead(std::string_view s);
/// Does the text have control characters other than line ends and tabs? A block of code cannot contain it.
bool hasControls(std::string_view s);

/// `name = rest`, without blanks at the start of either. `a == b` is not an assignment.
struct Assignment {
    std::string_view name, rest;
};
std::optional<Assignment> parseAssignment(std::string_view s);

/// In quotes, with JSON's escapes.
std::string quoted(std::string_view s);
/// The label, quoted unless it is a word (or several joined by points).
std::string label(std::string_view s);
/// The same at the start of a statement or item, where keywords are also quoted.
std::string startLabel(std::string_view s);
/// Unchanged if fitsLine, otherwise quoted.
std::string line(std::string_view s);
/// Unchanged if fitsHead, otherwise quoted.
std::string head(std::string_view s);

} // namespace sdfgc::serialize::text
