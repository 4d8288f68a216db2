// Writes text with lines and indentation: generated sources, CMake files, text forms.
//
//     TextWriter w;
//     w.open("for (int64_t i = 0; i < N; ++i)");   // for (int64_t i = 0; i < N; ++i) {
//     w.line("B[i] = A[i] * 2.0;");                //     B[i] = A[i] * 2.0;
//     w.close();                                   // }
//
// Every line ends with one newline and no trailing blanks. Line numbers are known while writing, for source maps.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc {

class TextWriter {
public:
    explicit TextWriter(std::string indentUnit = "    ") : unit_(std::move(indentUnit)) {}

    /// Writes a line at the current indentation; an empty text gives an empty line. Newlines in `text` start further
    /// lines with the same indentation.
    void line(std::string_view text = {});
    /// Writes lines unchanged, without indentation; adds a final newline if missing.
    void verbatim(std::string_view text);

    /// Writes `head {` and increases the indentation; an empty head gives `{`.
    void open(std::string_view head = {});
    /// Decreases the indentation and writes `}` directly followed by `tail` (`;`, ` // namespace`, ` while (c);`).
    void close(std::string_view tail = {});
    /// Writes `} head {` one level out, as for `} else {`.
    void reopen(std::string_view head);
    /// From this call on, longer C++ lines are broken after a comma or an operator and continued with more indentation;
    /// pragmas are broken before a clause. Comments, other directives and lines with string literals are not broken. 0,
    /// the initial value, breaks nothing.
    void wrapAt(std::size_t columns) { width_ = columns; }

    void indent() { ++depth_; }
    void dedent();

    /// The number of the next line, from 1.
    int nextLine() const { return lines_ + 1; }
    int depth() const { return depth_; }
    const std::string &text() const { return text_; }
    /// Returns the text and empties the writer.
    std::string take();

private:
    void put(std::string_view oneLine);
    void putLine(std::string_view text, int depth);
    std::string unit_, text_;
    int depth_ = 0, lines_ = 0;
    std::size_t width_ = 0;
};

} // namespace sdfgc
