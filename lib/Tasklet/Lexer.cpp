#include "Tasklet/Lexer.h"
#include "Tasklet/Numbers.h"
#include "sdfgc/Support/Utf8.h"
#include "sdfgc/Tasklet/Keywords.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace sdfgc::py::detail {

namespace {

constexpr std::array<std::string_view, 35> keywords = {
    "False",  "None",     "True", "and",    "as",   "assert", "async",   "await",  "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "from",   "finally", "global", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",  "return",  "try",    "while", "with",   "yield",
};

// Longest first, so the first match is the token.
constexpr std::array<std::string_view, 47> operators = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=",
    "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "=",
};

bool isNameStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameChar(char c) { return isNameStart(c) || isDigit(c); }

bool isDigitOf(char c, int base) {
    if (base == 16)
        return std::isxdigit(static_cast<unsigned char>(c));
    return c >= '0' && c < '0' + base;
}

// The base denoted by the letter after a leading zero; 10 for anything else.
int prefixBase(char c) {
    switch (c | 0x20) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

class Lexer {
public:
    Lexer(std::string_view text, LexMode mode) : text_(text), mode_(mode) {}

    Parsed<std::vector<Token>> run() {
        atLineStart_ = mode_ == LexMode::Block;
        while (!failed_ && pos_ < text_.size())
            step();
        if (!failed_ && !brackets_.empty() && mode_ == LexMode::Block)
            fail("`" + std::string(1, brackets_.back()) + "` is never closed");
        Parsed<std::vector<Token>> result;
        if (failed_) {
            result.error = error_;
            return result;
        }
        if (mode_ == LexMode::Block)
            endBlock();
        add(Tok::End, "", here());
        result.value = std::move(tokens_);
        return result;
    }

private:
    std::string_view text_;
    LexMode mode_;
    std::size_t pos_ = 0, lineStart_ = 0;
    int line_ = 1;
    bool atLineStart_ = false, failed_ = false;
    std::vector<int> indents_;   // open indentation levels; the first is that of the first line
    std::vector<char> brackets_; // open brackets; line ends inside them are white space
    std::vector<Token> tokens_;
    ParseError error_;

    Position here() const { return {line_, static_cast<int>(pos_ - lineStart_) + 1}; }
    char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
    bool startsWith(std::string_view s) const { return text_.substr(pos_, s.size()) == s; }
    void add(Tok kind, std::string text, Position at) { tokens_.push_back({kind, std::move(text), at}); }
    void fail(std::string message) { failAt(std::move(message), here()); }
    void failAt(std::string message, Position at) {
        if (!failed_)
            error_ = {std::move(message), at};
        failed_ = true;
    }
    bool linesMatter() const { return mode_ == LexMode::Block && brackets_.empty(); }

    void newLine() {
        ++pos_;
        ++line_;
        lineStart_ = pos_;
    }

    void step() {
        if (atLineStart_ && linesMatter()) {
            atLineStart_ = false;
            indentation();
            return;
        }
        const char c = peek();
        if (c == '\n') {
            lineEnd();
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            ++pos_;
        } else if (c == '#') {
            pos_ = std::min(text_.find('\n', pos_), text_.size());
        } else if (c == '\\') {
            continuation();
        } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
            number();
        } else if (c == '"' || c == '\'') {
            string("", here());
        } else if (isNameStart(c)) {
            nameOrString();
        } else {
            op();
        }
    }

    void lineEnd() {
        if (linesMatter()) {
            if (!tokens_.empty() && tokens_.back().kind != Tok::Newline && tokens_.back().kind != Tok::Indent &&
                tokens_.back().kind != Tok::Dedent)
                add(Tok::Newline, "", here());
            atLineStart_ = true;
        }
        newLine();
    }

    void continuation() {
        std::size_t next = pos_ + 1;
        if (next < text_.size() && text_[next] == '\r')
            ++next;
        if (next >= text_.size() || text_[next] != '\n')
            return fail("unexpected character `\\`");
        pos_ = next;
        newLine();
    }

    // Measures the white space at the start of a line and opens or closes blocks. Blank lines and comment lines are ignored.
    void indentation() {
        int width = 0;
        for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++pos_)
            width = peek() == '\t' ? (width / 8 + 1) * 8 : peek() == ' ' ? width + 1 : 0;
        const char c = peek();
        if (pos_ >= text_.size() || c == '\n' || c == '\r' || c == '#')
            return;
        if (indents_.empty()) { // the whole text may be indented
            indents_.push_back(width);
        } else if (width > indents_.back()) {
            indents_.push_back(width);
            add(Tok::Indent, "", here());
        } else {
            while (indents_.size() > 1 && width < indents_.back()) {
                indents_.pop_back();
                add(Tok::Dedent, "", here());
            }
            if (width != indents_.back())
                fail("indentation does not match any outer level");
        }
    }

    void endBlock() {
        if (!tokens_.empty() && tokens_.back().kind != Tok::Newline && tokens_.back().kind != Tok::Dedent)
            add(Tok::Newline, "", here());
        for (; indents_.size() > 1; indents_.pop_back())
            add(Tok::Dedent, "", here());
    }

    // Digits of `base` with single underscores between them.
    std::string digits(int base, bool underscoreFirst = false) {
        std::string out;
        bool underscore = underscoreFirst && peek() == '_';
        if (underscore)
            ++pos_;
        while (isDigitOf(peek(), base) || (peek() == '_' && !out.empty())) {
            if (peek() == '_') {
                if (underscore)
                    break;
                underscore = true;
            } else {
                underscore = false;
                out += peek();
            }
            ++pos_;
        }
        if (underscore || out.empty())
            fail("malformed number");
        return out;
    }

    void number() {
        const Position at = here();
        const int base = peek() == '0' ? prefixBase(peek(1)) : 10;
        if (base != 10) {
            pos_ += 2;
            integer(digits(base, true), base, at);
        } else {
            decimal(at);
        }
        if (!failed_ && isNameChar(peek()))
            failAt("malformed number", at);
    }

    void integer(const std::string &text, int base, Position at) {
        if (text.size() > maxIntegerDigits)
            return failAt("integer literal has more than " + std::to_string(maxIntegerDigits) + " digits", at);
        add(Tok::Int, toDecimal(text, base), at);
    }

    void decimal(Position at) {
        std::string text;
        bool isFloat = false;
        if (peek() != '.')
            text = digits(10);
        if (peek() == '.') {
            isFloat = true;
            text += '.';
            ++pos_;
            if (isDigit(peek()))
                text += digits(10);
        }
        if ((peek() | 0x20) == 'e' && (isDigit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && isDigit(peek(2))))) {
            isFloat = true;
            text += 'e';
            ++pos_;
            if (!isDigit(peek()))
                text += text_[pos_++];
            text += digits(10);
        }
        if (failed_)
            return;
        if ((peek() | 0x20) == 'j') {
            ++pos_;
            return add(Tok::Imaginary, canonicalFloat(text), at);
        }
        if (isFloat)
            return add(Tok::Float, canonicalFloat(text), at);
        if (text.size() > 1 && text[0] == '0' && text.find_first_not_of('0') != std::string::npos)
            return failAt("leading zeros in a decimal integer", at);
        integer(text, 10, at);
    }

    // The text of a literal beyond the range of double is kept, so that it still overflows when it is read again.
    static std::string canonicalFloat(const std::string &text) {
        const std::string token = floatToken(floatValue(text));
        return token == "inf" ? "1e309" : token;
    }

    void nameOrString() {
        const Position at = here();
        const std::size_t start = pos_;
        while (isNameChar(peek()))
            ++pos_;
        std::string word(text_.substr(start, pos_ - start));
        if ((peek() == '"' || peek() == '\'') && word.size() <= 2) {
            std::string prefix = word;
            std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](unsigned char c) { return std::tolower(c); });
            if (prefix.find_first_not_of("rbfu") == std::string::npos)
                return string(prefix, at);
        }
        const bool keyword = isKeyword(word);
        add(keyword ? Tok::Keyword : Tok::Name, std::move(word), at);
    }

    void string(std::string_view prefix, Position at) {
        if (prefix.find('f') != std::string_view::npos)
            return failAt("f-strings are not supported", at);
        if (prefix.find('b') != std::string_view::npos)
            return failAt("bytes literals are not supported", at);
        const bool isRaw = prefix.find('r') != std::string_view::npos;
        const char quote = peek();
        const bool triple = peek(1) == quote && peek(2) == quote;
        pos_ += triple ? 3 : 1;
        std::string content;
        while (true) {
            if (pos_ >= text_.size() || (!triple && peek() == '\n'))
                return failAt("unfinished string literal", at);
            if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
                break;
            if (peek() == '\\' && pos_ + 1 < text_.size())
                escape(content, isRaw);
            else if (peek() == '\n')
                content += '\n', newLine();
            else
                content += text_[pos_++];
        }
        pos_ += triple ? 3 : 1;
        add(Tok::String, std::move(content), at);
    }

    void escape(std::string &content, bool isRaw) {
        const char c = peek(1);
        if (isRaw) {
            content += '\\';
            ++pos_;
            if (peek() == '\n')
                return content += '\n', newLine();
            content += text_[pos_++];
            return;
        }
        pos_ += 2;
        constexpr std::string_view plain = "\\'\"abfnrtv", meaning = "\\'\"\a\b\f\n\r\t\v";
        if (const std::size_t k = plain.find(c); k != std::string_view::npos)
            content += meaning[k];
        else if (c == '\n')
            --pos_, newLine();
        else if (c == 'x' || c == 'u' || c == 'U')
            hexEscape(content, c == 'x' ? 2 : c == 'u' ? 4 : 8);
        else if (c >= '0' && c <= '7')
            octalEscape(content, c);
        else
            content += '\\', content += c; // Python keeps unknown escapes as they are
    }

    void hexEscape(std::string &content, int length) {
        uint32_t value = 0;
        for (int k = 0; k < length; ++k, ++pos_) {
            if (!isDigitOf(peek(), 16))
                return fail("malformed escape in a string literal");
            value = value * 16 + static_cast<uint32_t>(std::stoi(std::string(1, peek()), nullptr, 16));
        }
        if (value > 0x10FFFF)
            return fail("malformed escape in a string literal");
        appendUtf8(content, value);
    }

    void octalEscape(std::string &content, char first) {
        uint32_t value = static_cast<uint32_t>(first - '0');
        for (int k = 0; k < 2 && peek() >= '0' && peek() <= '7'; ++k)
            value = value * 8 + static_cast<uint32_t>(text_[pos_++] - '0');
        appendUtf8(content, value);
    }

    void op() {
        for (std::string_view o : operators) {
            if (o[0] != peek() || !startsWith(o))
                continue;
            if (!bracket(o[0]))
                return;
            add(Tok::Op, std::string(o), here());
            pos_ += o.size();
            return;
        }
        const char c = peek();
        if (c >= ' ' && c <= '~')
            fail(std::string("unexpected character `") + c + "`");
        else
            fail("unexpected control character");
    }

    // Updates the stack of open brackets; false (with an error) if one is closed that was not opened.
    bool bracket(char c) {
        constexpr std::string_view open = "([{", close = ")]}";
        if (open.find(c) != std::string_view::npos) {
            brackets_.push_back(c);
        } else if (const std::size_t k = close.find(c); k != std::string_view::npos) {
            if (brackets_.empty() || brackets_.back() != open[k]) {
                fail(std::string("`") + c + "` closes nothing");
                return false;
            }
            brackets_.pop_back();
        }
        return true;
    }
};

} // namespace

Parsed<std::vector<Token>> lex(std::string_view text, LexMode mode) { return Lexer(text, mode).run(); }

} // namespace sdfgc::py::detail

bool sdfgc::py::isKeyword(std::string_view word) {
    return std::find(detail::keywords.begin(), detail::keywords.end(), word) != detail::keywords.end();
}
