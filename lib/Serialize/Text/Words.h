// Words of the text form (docs/user/graph-text.md): which texts stand as they are, which in quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::serialize::text {

/// Letters, digits and underscores, no digit first; `dotted` allows several joined by points.
bool isWord(std::string_view s, bool dotted = false);
/// The length of the word at the start of `s`, 0 where there is none.
std::size_t wordLength(std::string_view s, bool dotted = false);
/// Does a statement or an item begin with this word? Labels that are such a word stand in quotes.
bool isKeyword(std::string_view s);
/// The words that declarations, blocks and edges begin with, for suggestions.
const std::vector<std::string> &regionWords();
/// `true`, `null`, `NaN`, ...: words of JSON that are no strings.
bool isLiteral(std::string_view s);
/// Does a string stand in a value without quotes?
inline bool isPlainString(std::string_view s) { return isWord(s) && !isLiteral(s); }
/// May a text stand for itself in a line? It goes on to the end of the line or to two blanks: it is not empty, has neither two
/// blanks nor control characters, no blank at an end, does not begin with a quote or as a comment does, and holds no connectors
/// (swallowedItems).
bool fitsLine(std::string_view s);
/// Where code holds what the line should have gone on with after two blanks, `with a <- A[i]`: the place of `with`; npos if nowhere. Such
/// code stands in quotes.
std::size_t swallowedItems(std::string_view code);
/// Where a line of code ends in front of a block that is opened: at the first ` {` with nothing after it but blanks and then `}`, a
/// comment or the end of the line; npos if there is none.
std::size_t headEnd(std::string_view line);
/// May a text stand for itself in front of a brace that opens a block?
bool fitsHead(std::string_view s);
/// Has a text control characters other than line ends and tabs? A block of code cannot hold it.
bool hasControls(std::string_view s);

/// `name = rest`: both without blanks at their beginning. `a == b` is no such thing.
struct Assignment {
    std::string_view name, rest;
};
std::optional<Assignment> parseAssignment(std::string_view s);

/// In quotes, with JSON's escapes.
std::string quoted(std::string_view s);
/// The label as it is where it is a word (or several with points), else in quotes.
std::string label(std::string_view s);
/// The same at the start of a statement or item: keywords stand in quotes, too.
std::string startLabel(std::string_view s);
/// As it is where fitsLine, else in quotes.
std::string line(std::string_view s);
/// As it is where fitsHead, else in quotes.
std::string head(std::string_view s);

} // namespace sdfgc::serialize::text
