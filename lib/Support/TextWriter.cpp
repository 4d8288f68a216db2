#include "sdfgc/Support/TextWriter.h"

#include <algorithm>
#include <cassert>

namespace sdfgc {

namespace {

bool isPragma(std::string_view line) { return line.starts_with("#pragma"); }

bool mayBreak(std::string_view line) {
    return (line[0] != '#' || isPragma(line)) && line.find("//") == std::string_view::npos &&
           line.find('\\') == std::string_view::npos;
}

/// Where to break the first line of at most `columns` characters: after a comma or an operator outside of literals, in the second
/// half of the line and at the lowest possible parenthesis depth. npos if there is none.
std::size_t breakIn(std::string_view line, std::size_t columns) {
    std::size_t best = std::string_view::npos;
    int depth = 0, bestDepth = 0;
    for (std::size_t i = 0; i + 1 < line.size() && i < columns; ++i) {
        const char c = line[i];
        if (c == '"' || c == '\'')
            i = std::min(line.find(c, i + 1), line.size() - 1);
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        const bool separator = c == ',' || c == ';';
        const bool sign = std::string_view("=+-*/%&|<>?:").find(c) != std::string_view::npos;
        const bool op = sign && i >= 2 && (line[i - 1] == ' ' || line[i - 2] == ' '); // not the end of `Buffer<double> x`
        if (line[i + 1] != ' ' || !(separator || op) || i + 2 >= line.size())
            continue;
        const bool early = best == std::string_view::npos || best < columns / 2;
        if (early || depth <= bestDepth) {
            best = i + 1;
            bestDepth = depth;
        }
    }
    return best;
}

/// The same for a pragma, whose lines end in a backslash: before a clause.
std::size_t breakInPragma(std::string_view line, std::size_t columns) {
    std::size_t best = std::string_view::npos;
    int depth = 0;
    for (std::size_t i = std::string_view("#pragma ").size(); i + 2 < std::min(line.size(), columns); ++i) {
        depth += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
        if (line[i] == ' ' && depth == 0)
            best = i;
    }
    return best;
}

} // namespace

void TextWriter::put(std::string_view oneLine) {
    const std::size_t indentation = static_cast<std::size_t>(depth_) * unit_.size();
    int depth = depth_;
    if (width_ > 0 && !oneLine.empty() && indentation + oneLine.size() > width_ && mayBreak(oneLine)) {
        const bool pragma = isPragma(oneLine);
        const int more = oneLine.back() == '{' ? 2 : 1; // less indented than the block that it opens
        while (static_cast<std::size_t>(depth) * unit_.size() + oneLine.size() > width_) {
            const std::size_t used = static_cast<std::size_t>(depth) * unit_.size();
            const std::size_t columns = width_ > used + 40 ? width_ - used : 40;
            const std::size_t end = pragma ? breakInPragma(oneLine, columns) : breakIn(oneLine, columns);
            if (end == std::string_view::npos)
                break;
            putLine(std::string(oneLine.substr(0, end)) + (pragma ? " \\" : ""), depth);
            oneLine.remove_prefix(end + 1);
            depth = depth_ + more;
        }
    }
    putLine(oneLine, depth);
}

void TextWriter::putLine(std::string_view text, int depth) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    if (!text.empty())
        for (int i = 0; i < depth; ++i)
            text_ += unit_;
    text_.append(text) += '\n';
    ++lines_;
}

void TextWriter::line(std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
        put(text.substr(0, end));
    put(text);
}

void TextWriter::verbatim(std::string_view text) {
    if (text.empty())
        return;
    text_ += text;
    if (text.back() != '\n')
        text_ += '\n';
    lines_ += static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.back() != '\n');
}

void TextWriter::open(std::string_view head) {
    put(head.empty() ? "{" : std::string(head) + " {");
    indent();
}

void TextWriter::close(std::string_view tail) {
    dedent();
    put("}" + std::string(tail));
}

void TextWriter::reopen(std::string_view head) {
    dedent();
    put("} " + std::string(head) + " {");
    indent();
}

void TextWriter::dedent() {
    assert(depth_ > 0);
    --depth_;
}

std::string TextWriter::take() {
    std::string result = std::move(text_);
    *this = TextWriter(std::move(unit_));
    return result;
}

} // namespace sdfgc
