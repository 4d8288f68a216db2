#include "Lexer.h"

#include "sdfgc/Tree/Text.h"

#include <array>
#include <cctype>

namespace sdfgc::tree::text {
namespace {

// Longer signs first.
constexpr auto signs = std::to_array<std::string_view>({
    "<<=", ">>=", "//=", "**=", "->", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=",  "@=",  "<<",  ">>",  "//", "**", ".[", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",  "^",
    "~",   "<",   ">",   "=",   "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  "?",
});

bool beginsWord(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool inWord(char c) { return beginsWord(c) || std::isdigit(static_cast<unsigned char>(c)); }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}

    std::vector<Token> run() {
        while (at_ < source_.size() && (out_.empty() || out_.back().kind != Token::Bad))
            next();
        if (out_.empty() || out_.back().kind != Token::Bad) {
            begin();
            push(Token::End, "");
        }
        return std::move(out_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    void begin() {
        token_ = {};
        token_.begin = at_;
        token_.line = line_;
        token_.column = static_cast<int>(at_ - lineBegin_) + 1;
    }
    void push(Token::Kind kind, std::string text) {
        token_.kind = kind;
        token_.text = std::move(text);
        token_.end = at_;
        out_.push_back(std::move(token_));
    }
    void fail(std::string message) { push(Token::Bad, std::move(message)); }
    void newline() {
        ++at_;
        ++line_;
        lineBegin_ = at_;
    }
    std::string_view restOfLine() {
        const std::size_t end = std::min(source_.find('\n', at_), source_.size());
        std::string_view rest = source_.substr(at_, end - at_);
        at_ = end;
        return rest;
    }
    bool beginsLine() const { return out_.empty() || out_.back().kind == Token::Newline; }

    void next() {
        begin();
        const char c = peek();
        if (c == '\n') {
            newline();
            if (open_ == 0)
                push(Token::Newline, "");
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
        } else if (c == ';') {
            restOfLine();
        } else if (c == '#') {
            ++at_;
            push(Token::Note, std::string(restOfLine()));
        } else if (c == '|' && beginsLine()) {
            ++at_;
            push(Token::Line, std::string(restOfLine()));
        } else if (c == '"' || c == '`') {
            quoted(c);
        } else if (isDigit(c) || (c == '$' && inWord(peek(1)))) {
            number();
        } else if (beginsWord(c)) {
            word();
        } else {
            sign();
        }
    }

    void word() {
        while (inWord(peek()) || (peek() == ':' && peek(1) == ':' && beginsWord(peek(2)))) // `std::sqrt` is one word
            at_ += peek() == ':' ? 2 : 1;
        if (peek() == '\'' && isDigit(peek(1))) {
            ++at_;
            while (isDigit(peek()))
                ++at_;
        }
        push(Token::Word, std::string(source_.substr(token_.begin, at_ - token_.begin)));
    }
    /// Also `$inf`, `$nan`, `$1`: a floating-point number whose text does not look like one.
    void number() {
        if (peek() == '$')
            ++at_;
        while (inWord(peek()) || (peek() == '.' && peek(1) != '[') ||
               ((peek() == '+' || peek() == '-') && isExponent(source_[at_ - 1])))
            ++at_;
        push(Token::Number, std::string(source_.substr(token_.begin, at_ - token_.begin)));
    }
    bool isExponent(char before) const {
        if (before != 'e' && before != 'E')
            return false;
        std::string_view sofar = source_.substr(token_.begin, at_ - token_.begin);
        return isDigit(peek(1)) && sofar.find_first_of("xX$") == std::string_view::npos;
    }
    void sign() {
        for (std::string_view s : signs)
            if (source_.substr(at_, s.size()) == s) {
                at_ += s.size();
                const char bracket = s.back();
                open_ += bracket == '(' || bracket == '[' ? 1 : bracket == ')' || bracket == ']' ? -1 : 0;
                return push(Token::Sign, std::string(s));
            }
        fail("unexpected character");
    }
    void quoted(char quote) {
        std::string text;
        for (++at_; at_ < source_.size() && peek() != quote && peek() != '\n'; ++at_) {
            if (peek() != '\\') {
                text += peek();
                continue;
            }
            ++at_;
            switch (peek()) {
            case 'n':
                text += '\n';
                break;
            case 't':
                text += '\t';
                break;
            case 'x':
                if (!std::isxdigit(static_cast<unsigned char>(peek(1))) || !std::isxdigit(static_cast<unsigned char>(peek(2))))
                    return fail("`\\x` needs two hexadecimal digits");
                text += static_cast<char>(std::stoi(std::string(source_.substr(at_ + 1, 2)), nullptr, 16));
                at_ += 2;
                break;
            default:
                text += peek();
            }
        }
        if (peek() != quote)
            return fail("a text that is not closed on its line");
        ++at_;
        push(quote == '"' ? Token::String : Token::Raw, std::move(text));
    }

    std::string_view source_;
    std::size_t at_ = 0, lineBegin_ = 0;
    int line_ = 1, open_ = 0;
    Token token_;
    std::vector<Token> out_;
};

} // namespace

std::vector<Token> tokens(std::string_view source) { return Lexer(source).run(); }

} // namespace sdfgc::tree::text

namespace sdfgc::tree {

bool isTreeText(std::string_view text) {
    for (std::size_t at = text.find_first_not_of(" \t\r\n"); at != std::string_view::npos;
         at = text.find_first_not_of(" \t\r\n", text.find('\n', at))) {
        if (text[at] != ';') // a remark
            return text.substr(at).starts_with("module ");
        if (text.find('\n', at) == std::string_view::npos)
            return false;
    }
    return false;
}

} // namespace sdfgc::tree
