// Writes text that has lines and indentation: generated sources, CMake files, text forms.
//
//     TextWriter w;
//     w.open("for (int64_t i = 0; i < N; ++i)");   // for (int64_t i = 0; i < N; ++i) {
//     w.line("B[i] = A[i] * 2.0;");                //     B[i] = A[i] * 2.0;
//     w.close();                                   // }
//
// Every line ends with one newline and no blanks before it; line numbers are known while writing, for source maps.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc {

class TextWriter {
public:
    explicit TextWriter(std::string indentUnit = "    ") : unit_(std::move(indentUnit)) {}

    /// One line at the present indentation; an empty text gives an empty line. Newlines in `text` start lines of their own, all at
    /// the present indentation.
    void line(std::string_view text = {});
    /// An empty line, unless the text is empty or ends with one, or a block has just been opened.
    void blank();
    /// Lines exactly as they are, without indentation; the last gets a newline when it has none.
    void verbatim(std::string_view text);

    /// `head {` and one level more; an empty head gives `{`.
    void open(std::string_view head = {});
    /// One level less and `}` with `tail` directly after it (`;`, ` // namespace`, ` while (c);`).
    void close(std::string_view tail = {});
    /// One level less, `} head {`, one level more: `} else {`.
    void reopen(std::string_view head);
    /// From here on, lines of C++ that are longer are broken after a comma or an operator, and go on with more indentation;
    /// pragmas in front of a clause. Comments, other directives and lines with literals of text stay whole. 0, as at the start: no
    /// line is broken.
    void wrapAt(std::size_t columns) { width_ = columns; }

    void indent() { ++depth_; }
    void dedent();

    /// Number of the line that comes next, from 1.
    int nextLine() const { return lines_ + 1; }
    int depth() const { return depth_; }
    const std::string &text() const { return text_; }
    /// The text; the writer is empty afterwards.
    std::string take();

private:
    void put(std::string_view oneLine);
    void putLine(std::string_view text, int depth);
    std::string unit_, text_;
    int depth_ = 0, lines_ = 0;
    std::size_t width_ = 0;
    bool opened_ = false; // the last line opened a block
};

} // namespace sdfgc
