#include "Serialize/Text/Words.h"

#include "sdfgc/Support/Json.h"

#include <algorithm>
#include <array>

namespace sdfgc::serialize::text {
namespace {

/// Words of states and items, and words that make poor suggestions: `start` is rare and too similar to `state`. regionWords has the
/// others.
constexpr std::string_view kOtherWords[] = {"sdfg",   "start", "access", "map", "consume", "library",
                                            "nested", "with",  "after",  "new", "none"};

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

} // namespace

std::size_t wordLength(std::string_view s, bool dotted) {
    std::size_t end = 0;
    for (;;) {
        if (end >= s.size() || !isLetter(s[end]))
            return end == 0 ? 0 : end - 1; // the point is not part of the word
        while (end < s.size() && (isLetter(s[end]) || isDigit(s[end])))
            ++end;
        if (!dotted || end >= s.size() || s[end] != '.')
            return end;
        ++end;
    }
}

bool isWord(std::string_view s, bool dotted) { return !s.empty() && wordLength(s, dotted) == s.size(); }

const std::vector<std::string> &regionWords() {
    static const std::vector<std::string> words = {
        "symbol", "assume", "constant", "argument", "transient",   "view",  "reference", "global", "init",
        "exit",   "state",  "region",   "named",    "call",        "break", "continue",  "return", "unstructured",
        "for",    "while",  "if",       "else",     "conditional", "goto",  "then",      "stop",   "order"};
    return words;
}

bool isKeyword(std::string_view s) {
    auto isIn = [s](const auto &words) { return std::find(std::begin(words), std::end(words), s) != std::end(words); };
    return isIn(kOtherWords) || isIn(regionWords());
}

bool isLiteral(std::string_view s) { return s == "true" || s == "false" || s == "null" || s == "NaN" || s == "Infinity"; }

bool fitsLine(std::string_view s) {
    if (s.empty() || s.front() == ' ' || s.back() == ' ' || s.front() == '"' || s.front() == '#' || s.starts_with("//"))
        return false;
    return s.find("  ") == std::string_view::npos && swallowedItems(s) == std::string_view::npos &&
           std::none_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

std::size_t swallowedItems(std::string_view code) {
    const std::size_t at = code.find(" with ");
    if (at == std::string_view::npos)
        return at;
    const std::string_view items = code.substr(at);
    const bool arrows = items.find("<- ") != std::string_view::npos || items.find("-> ") != std::string_view::npos;
    return arrows ? at + 1 : std::string_view::npos;
}

std::size_t headEnd(std::string_view line) {
    for (std::size_t at = line.find(" {"); at != std::string_view::npos; at = line.find(" {", at + 1)) {
        const std::string_view after = line.substr(at + 2);
        const std::size_t next = after.find_first_not_of(" \t\r");
        if (next == std::string_view::npos || after[next] == '}')
            return at;
        const std::string_view rest = after.substr(next);
        if (next > 0 && (rest.starts_with('#') || rest.starts_with("//")))
            return at;
    }
    return std::string_view::npos;
}

bool fitsHead(std::string_view s) { return fitsLine(s) && headEnd(" " + std::string(s)) == std::string_view::npos; }

bool hasControls(std::string_view s) {
    return std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; });
}

std::optional<Assignment> parseAssignment(std::string_view s) {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t length = wordLength(s), sign = s.find_first_not_of(kBlanks, length);
    if (length == 0 || sign == std::string_view::npos || s[sign] != '=' || s.substr(sign, 2) == "==")
        return std::nullopt;
    return Assignment{s.substr(0, length), s.substr(std::min(s.find_first_not_of(kBlanks, sign + 1), s.size()))};
}

std::string quoted(std::string_view s) {
    std::string out;
    json::appendQuoted(out, s);
    return out;
}

std::string label(std::string_view s) { return isWord(s, true) ? std::string(s) : quoted(s); }
std::string startLabel(std::string_view s) { return isKeyword(s) ? quoted(s) : label(s); }

std::string line(std::string_view s) { return fitsLine(s) ? std::string(s) : quoted(s); }
std::string head(std::string_view s) { return fitsHead(s) ? std::string(s) : quoted(s); }

} // namespace sdfgc::serialize::text
