#include "Serialize/Text/Words.h"

#include "sdfgc/Support/Json.h"

#include <algorithm>
#include <array>

namespace sdfgc::serialize::text {
namespace {

constexpr std::string_view kKeywords[] = {
    // of an SDFG
    "sdfg", "symbol", "assume", "constant", "argument", "transient", "view", "reference", "global", "init", "exit",
    // of a region
    "state", "region", "named", "call", "unstructured", "break", "continue", "return", "conditional", "for", "while", "if", "else",
    "goto", "then", "stop", "start", "order",
    // of a state
    "access", "map", "consume", "library", "nested", "with", "after", "new", "none"};

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

} // namespace

std::size_t wordLength(std::string_view s, bool dotted) {
    std::size_t end = 0;
    for (;;) {
        if (end >= s.size() || !isLetter(s[end]))
            return end == 0 ? 0 : end - 1; // the point belongs to something else
        while (end < s.size() && (isLetter(s[end]) || isDigit(s[end])))
            ++end;
        if (!dotted || end >= s.size() || s[end] != '.')
            return end;
        ++end;
    }
}

bool isWord(std::string_view s, bool dotted) { return !s.empty() && wordLength(s, dotted) == s.size(); }

bool isKeyword(std::string_view s) { return std::find(std::begin(kKeywords), std::end(kKeywords), s) != std::end(kKeywords); }

bool isLiteral(std::string_view s) { return s == "true" || s == "false" || s == "null" || s == "NaN" || s == "Infinity"; }

bool fitsLine(std::string_view s) {
    if (s.empty() || s.front() == ' ' || s.back() == ' ' || s.front() == '"' || s.front() == '#' || s.starts_with("//"))
        return false;
    return s.find("  ") == std::string_view::npos &&
           std::none_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool hasControls(std::string_view s) {
    return std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; });
}

std::string quoted(std::string_view s) {
    std::string out;
    json::appendQuoted(out, s);
    return out;
}

std::string label(std::string_view s) { return isWord(s, true) ? std::string(s) : quoted(s); }
std::string startLabel(std::string_view s) { return isKeyword(s) ? quoted(s) : label(s); }

std::string line(std::string_view s) { return fitsLine(s) ? std::string(s) : quoted(s); }

} // namespace sdfgc::serialize::text
