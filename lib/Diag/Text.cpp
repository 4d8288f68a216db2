// Terminal output: one line per diagnostic, followed by information that helps to act on it.
#include "SeverityWord.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

namespace sdfgc::diag {
namespace {

constexpr const char *kReset = "\x1b[0m", *kBold = "\x1b[1m", *kRed = "\x1b[1;31m", *kMagenta = "\x1b[1;35m", *kCyan = "\x1b[1;36m",
                     *kGreen = "\x1b[1;32m";

const char *colorOf(Severity s) {
    switch (s) {
    case Severity::Error:
        return kRed;
    case Severity::Warning:
        return kMagenta;
    case Severity::Note:
        return kCyan;
    case Severity::Remark:
        break;
    }
    return kGreen;
}

/// Text that is safe on a terminal; continuation lines are indented by four.
std::string printable(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out += "\n    ";
        else if (c == '\t' || (byte >= 0x20 && byte != 0x7f))
            out += c;
        else
            out.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    return out;
}

/// Line `number` of a file, if that is an uncompressed regular file of reasonable size and the line has a reasonable length.
bool readLine(const std::string &file, int number, std::string &line) {
    constexpr std::uintmax_t largest = 16u << 20;
    constexpr std::size_t longest = 400;
    std::error_code ec;
    if (!std::filesystem::is_regular_file(file, ec) || std::filesystem::file_size(file, ec) > largest || ec)
        return false;
    std::ifstream in(file);
    constexpr int gzipStart = 0x1f; // line numbers of a compressed graph refer to its content
    if (in.peek() == gzipStart)
        return false;
    for (int i = 0; i < number; ++i)
        if (!std::getline(in, line))
            return false;
    if (!line.empty() && line.back() == '\r')
        line.pop_back();
    return line.size() <= longest && line.find_first_not_of(" \t") != std::string::npos;
}

class Printer {
public:
    Printer(std::ostream &os, const TextOptions &o) : os_(os), o_(o) {}

    void print(const Diagnostic &d) {
        head(d.place, d.severity, d.message, info(d.id).code);
        details(d.place);
        for (const auto &[place, message] : d.notes) {
            if (place.file.empty())
                os_ << "  " << colored(kCyan, "note:") << ' ' << printable(message) << '\n';
            else
                head(place, Severity::Note, message, {});
            details(place);
        }
        if (o_.hints && !d.hint.empty())
            os_ << "  " << colored(kBold, "hint:") << ' ' << printable(d.hint) << '\n';
    }

private:
    std::string colored(const char *color, const std::string &text) const { return o_.color ? color + text + kReset : text; }

    void head(const Location &p, Severity severity, const std::string &message, std::string_view code) {
        std::string where = p.file.empty() ? "sdfgc" : printable(p.file);
        if (!p.file.empty() && p.line > 0) {
            where += ':' + std::to_string(p.line);
            if (p.column > 0)
                where += ':' + std::to_string(p.column);
        }
        os_ << colored(kBold, where + ':') << ' ' << colored(colorOf(severity), std::string(severityWord(severity)) + ':') << ' '
            << colored(kBold, printable(message));
        if (!code.empty())
            os_ << " [" << code << ']';
        os_ << '\n';
    }

    void details(const Location &p) {
        if (!p.element.empty())
            os_ << "  in " << printable(p.element) << '\n';
        if (!p.path.empty())
            os_ << "  at " << printable(p.path) << '\n';
        if (p.source.known()) {
            const SourceLoc &s = p.source;
            os_ << "  from " << printable(s.file.str()) << ':' << s.line;
            if (s.column > 0)
                os_ << ':' << s.column + 1;
            os_ << '\n';
            const int end = s.endLine > s.line ? -1 : s.endColumn;
            excerpt(s.file.str(), s.line, s.column > 0 || s.endColumn > 0 ? s.column : -1, end);
        } else if (p.line > 0 && p.column > 0) {
            excerpt(p.file, p.line, p.column - 1, 0);
        }
    }

    /// The line with a caret below `column` (from 0; -1: the first non-blank character), underlined up to `end` (-1: to the end of
    /// the line).
    void excerpt(const std::string &file, int number, int column, int end) {
        std::string line;
        if (!readLine(file, number, line))
            return;
        const std::size_t at = column < 0 ? line.find_first_not_of(" \t") : static_cast<std::size_t>(column);
        const std::string gutter = std::to_string(number);
        os_ << "    " << gutter << " | " << printable(line) << '\n';
        if (at > line.size() || printable(line) != line)
            return;
        const std::size_t to = end < 0 ? line.size() : std::min<std::size_t>(static_cast<std::size_t>(end), line.size());
        std::string mark = "^";
        for (std::size_t i = at + 1; i < to; ++i)
            if (startsCharacter(line[i]))
                mark += '~';
        os_ << std::string(4 + gutter.size(), ' ') << " | " << padding(line, at) << colored(kGreen, mark) << '\n';
    }

    static bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; } // UTF-8

    /// Blanks as wide as the first bytes of the line; tabs are kept.
    static std::string padding(const std::string &line, std::size_t bytes) {
        std::string out;
        for (std::size_t i = 0; i < bytes; ++i)
            if (i >= line.size() || startsCharacter(line[i]))
                out += i < line.size() && line[i] == '\t' ? '\t' : ' ';
        return out;
    }

    std::ostream &os_;
    const TextOptions &o_;
};

} // namespace

void printText(std::ostream &os, const std::vector<Diagnostic> &ds, const TextOptions &o) {
    Printer printer(os, o);
    for (const Diagnostic &d : ds)
        printer.print(d);
}

} // namespace sdfgc::diag
