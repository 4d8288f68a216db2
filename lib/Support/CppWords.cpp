#include "sdfgc/Support/CppWords.h"

#include <algorithm>
#include <string>

namespace sdfgc {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) { return isCppWord(c) && !isDigit(c); }
bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<CppWord> run() {
        while (at_ < text_.size())
            step();
        return std::move(words_);
    }

private:
    char ahead(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }
    std::size_t endOfWord(std::size_t at) const {
        while (at < text_.size() && isCppWord(text_[at]))
            ++at;
        return at;
    }
    void skipTo(std::string_view end, std::size_t from) {
        const std::size_t found = text_.find(end, from);
        at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    }

    void step() {
        const char c = text_[at_];
        if (c == '\\' && (ahead(1) == '\n' || ahead(1) == '\r')) { // line continuation
            at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        } else if (isSpace(c)) {
            directive_ &= c != '\n';
            ++at_;
        } else if (c == '/' && ahead(1) == '/') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (c == '/' && ahead(1) == '*') {
            skipTo("*/", at_ + 2);
        } else if (c == '"' || c == '\'') {
            literal(c);
        } else if (isDigit(c) || (c == '.' && isDigit(ahead(1)))) {
            number();
        } else if (isWordStart(c)) {
            word();
        } else {
            directive_ |= c == '#';
            const char previous = before_;
            token(c, 1);
            member_ = (c == '.' && previous != '.') || (c == '>' && previous == '-') || (c == ':' && previous == ':');
        }
    }
    void token(char last, std::size_t length) {
        before_ = last;
        member_ = false;
        at_ += length;
    }

    void word() {
        const std::string_view word = text_.substr(at_, endOfWord(at_) - at_);
        if (const char quote = ahead(word.size()); quote == '"' || quote == '\'') {
            const std::string_view encoding = word.substr(0, word.size() - (quote == '"' && word.back() == 'R'));
            if (encoding.empty() || encoding == "L" || encoding == "u" || encoding == "U" || encoding == "u8") {
                at_ += word.size();
                return encoding.size() < word.size() ? rawLiteral() : literal(quote);
            }
        }
        words_.push_back({word, at_, directive_ ? CppWord::Directive : CppWord::Code, member_, before_});
        token(word.back(), word.size());
    }
    /// A preprocessing number: everything that can follow the start of a number.
    void number() {
        std::size_t end = at_ + 1;
        for (; end < text_.size(); ++end) {
            const char c = text_[end], last = text_[end - 1];
            const bool sign = (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
            const bool separator = c == '\'' && end + 1 < text_.size() && isCppWord(text_[end + 1]);
            if (!isCppWord(c) && c != '.' && !sign && !separator)
                break;
        }
        token('0', end - at_);
    }
    void literal(char quote) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
            end += text_[end] == '\\' ? 2 : 1;
        end = std::min(end, text_.size());
        if (quote == '"')
            wordsInside(at_ + 1, end);
        closeLiteral(end + (end < text_.size() && text_[end] == quote), quote);
    }
    /// R"end( ... )end"
    void rawLiteral() {
        const std::size_t open = std::min(text_.find('(', at_), text_.size());
        const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const std::size_t end = std::min(text_.find(close, open), text_.size());
        wordsInside(open, end);
        closeLiteral(std::min(end + close.size(), text_.size()), '"');
    }
    void closeLiteral(std::size_t end, char quote) {
        at_ = endOfWord(end); // after the suffix
        token(quote, 0);
    }
    /// Reads the words inside a literal, whatever its other contents.
    void wordsInside(std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end;) {
            const std::size_t behind = std::min(endOfWord(at), end);
            if (behind > at && isWordStart(text_[at]))
                words_.push_back({text_.substr(at, behind - at), at, CppWord::Literal, false, '"'});
            at = behind > at ? behind : at + (text_[at] == '\\' ? 2 : 1);
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    char before_ = 0;
    bool member_ = false, directive_ = false;
    std::vector<CppWord> words_;
};

} // namespace

bool isCppWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_'; }

std::vector<CppWord> cppWords(std::string_view text) { return Scanner(text).run(); }

} // namespace sdfgc
