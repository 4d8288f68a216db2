#include "sdfgc/Support/TextWriter.h"

#include <algorithm>
#include <cassert>

namespace sdfgc {

void TextWriter::put(std::string_view oneLine) {
    while (!oneLine.empty() && (oneLine.back() == ' ' || oneLine.back() == '\t' || oneLine.back() == '\r'))
        oneLine.remove_suffix(1);
    if (!oneLine.empty())
        for (int i = 0; i < depth_; ++i)
            text_ += unit_;
    text_.append(oneLine) += '\n';
    ++lines_;
    opened_ = false;
}

void TextWriter::line(std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
        put(text.substr(0, end));
    put(text);
}

void TextWriter::blank() {
    if (!text_.empty() && !opened_ && !text_.ends_with("\n\n") && text_ != "\n")
        put({});
}

void TextWriter::verbatim(std::string_view text) {
    if (text.empty())
        return;
    text_ += text;
    if (text.back() != '\n')
        text_ += '\n';
    lines_ += static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.back() != '\n');
    opened_ = false;
}

void TextWriter::open(std::string_view head) {
    put(head.empty() ? "{" : std::string(head) + " {");
    indent();
    opened_ = true;
}

void TextWriter::close(std::string_view tail) {
    dedent();
    put("}" + std::string(tail));
}

void TextWriter::reopen(std::string_view head) {
    dedent();
    put("} " + std::string(head) + " {");
    indent();
    opened_ = true;
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
