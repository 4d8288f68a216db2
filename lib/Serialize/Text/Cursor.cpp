#include "Serialize/Text/Cursor.h"

#include "Serialize/Text/Words.h"

#include <algorithm>

namespace sdfgc::serialize::text {

void Cursor::blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r')
        ++at;
    if (atEnd())
        return;
    const bool mayComment = at == 0 || text_[at - 1] == ' ' || text_[at - 1] == '\t' || text_[at - 1] == '\n';
    if (mayComment && (peek() == '#' || startsWith("//")))
        at = std::min(text_.find('\n', at), text_.size());
}

void Cursor::lines() {
    for (;;) {
        blanks();
        if (peek() != '\n' || atEnd())
            return;
        ++at;
    }
}

bool Cursor::atLineEnd() {
    blanks();
    return atEnd() || peek() == '\n';
}

bool Cursor::accept(std::string_view s) {
    blanks();
    if (!startsWith(s))
        return false;
    at += s.size();
    return true;
}

bool Cursor::acceptWord(std::string_view w) {
    blanks();
    if (!startsWith(w) || wordLength(text_.substr(at, w.size() + 1)) != w.size())
        return false;
    at += w.size();
    return true;
}

std::string_view Cursor::word(bool dotted) {
    blanks();
    const std::size_t length = wordLength(text_.substr(at), dotted);
    at += length;
    return text_.substr(at - length, length);
}

std::string_view Cursor::rawLine(bool beforeBrace) {
    const std::size_t from = at, lineEnd = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(from, lineEnd - from);
    const std::size_t twoBlanks = line.find("  ");
    line = line.substr(0, std::min(twoBlanks, beforeBrace ? headEnd(line) : std::string_view::npos));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
        line.remove_suffix(1);
    at = from + line.size();
    return line;
}

std::string_view Cursor::wholeLine() {
    const std::size_t from = at, lineEnd = std::min(text_.find('\n', at), text_.size());
    at = std::min(lineEnd + 1, text_.size());
    std::string_view line = text_.substr(from, lineEnd - from);
    if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
    return line;
}

std::size_t Cursor::indentation(std::size_t of) const {
    const std::size_t newline = of == 0 ? std::string_view::npos : text_.rfind('\n', of - 1);
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::size_t end = text_.find_first_not_of(" \t", start);
    return std::min(end, text_.size()) - start;
}

std::size_t Cursor::closing() const {
    constexpr int kMostLines = 64;
    std::string expected; // closing brackets of the open ones
    int lines = 0;
    for (std::size_t i = at; i < text_.size() && lines < kMostLines; ++i) {
        const char c = text_[i];
        lines += c == '\n';
        if (c == '"') {
            for (++i; i < text_.size() && text_[i] != '"' && text_[i] != '\n'; ++i)
                i += text_[i] == '\\';
        } else if (c == '(' || c == '[' || c == '{') {
            expected += c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (c == ')' || c == ']' || c == '}') {
            if (expected.empty() || expected.back() != c)
                return std::string_view::npos;
            expected.pop_back();
            if (expected.empty())
                return i;
        }
    }
    return std::string_view::npos;
}

diag::Location Cursor::place(std::size_t of) const {
    of = std::min(of, text_.size());
    auto linesBetween = [this](std::size_t from, std::size_t to) {
        return static_cast<int>(
            std::count(text_.begin() + static_cast<std::ptrdiff_t>(from), text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    };
    knownLine_ += of < knownAt_ ? -linesBetween(of, knownAt_) : linesBetween(knownAt_, of);
    knownAt_ = of;
    const std::size_t newline = of == 0 ? std::string_view::npos : text_.rfind('\n', of - 1);
    diag::Location p;
    p.file = file_;
    p.line = knownLine_;
    p.column = static_cast<int>(of - (newline == std::string_view::npos ? 0 : newline + 1)) + 1;
    return p;
}

std::string Cursor::describe(std::size_t of) const {
    if (of >= text_.size())
        return "the end of the text";
    if (text_[of] == '\n' || text_[of] == '\r')
        return "the end of the line";
    const std::size_t length = wordLength(text_.substr(of), true);
    constexpr std::size_t kShown = 40;
    const std::string_view shown = text_.substr(of, length == 0 ? 1 : std::min(length, kShown));
    if (static_cast<unsigned char>(shown[0]) < 0x20 || static_cast<unsigned char>(shown[0]) > 0x7e)
        return "byte " + std::to_string(static_cast<unsigned char>(shown[0]));
    return "`" + std::string(shown) + "`";
}

} // namespace sdfgc::serialize::text
