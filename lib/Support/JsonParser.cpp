// Reader of JSON text as Python's json module writes and reads it: any integer width, NaN, Infinity, -Infinity, lone surrogates.
#include "sdfgc/Support/Json.h"

#include "sdfgc/Support/Utf8.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::json {
namespace {

class Parser {
public:
    Parser(std::string_view text, int maxDepth) : text_(text), depthLeft_(maxDepth) {}

    bool document(Value &out) {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") // byte order mark
            at_ = 3;
        if (!value(out))
            return false;
        skipSpace();
        return at_ == text_.size() || fail("text after the value");
    }

    const char *error() const { return error_; }
    std::size_t offset() const { return at_; }

private:
    bool fail(const char *why) {
        error_ = why;
        return false;
    }

    bool fail(const char *why, std::size_t at) {
        at_ = at;
        return fail(why);
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skipSpace() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }

    bool take(char c) {
        skipSpace();
        if (peek() != c || at_ >= text_.size())
            return false;
        ++at_;
        return true;
    }

    bool takeWord(std::string_view word) {
        if (text_.substr(at_, word.size()) != word)
            return false;
        at_ += word.size();
        return true;
    }

    bool value(Value &out) {
        skipSpace();
        switch (peek()) {
        case '{':
            return object(out);
        case '[':
            return array(out);
        case '"': {
            std::string s;
            if (!string(s))
                return false;
            out = Value(std::move(s));
            return true;
        }
        case 't':
            return literal("true", Value(true), out);
        case 'f':
            return literal("false", Value(false), out);
        case 'n':
            return literal("null", Value(), out);
        case 'N':
            return literal("NaN", Value::number("NaN"), out);
        case 'I':
            return literal("Infinity", Value::number("Infinity"), out);
        default:
            return number(out);
        }
    }

    bool literal(std::string_view word, Value v, Value &out) {
        if (!takeWord(word))
            return fail("a value is missing here");
        out = std::move(v);
        return true;
    }

    std::size_t digits() {
        std::size_t start = at_;
        while (peek() >= '0' && peek() <= '9')
            ++at_;
        return at_ - start;
    }

    bool number(Value &out) {
        std::size_t start = at_;
        if (peek() == '-')
            ++at_;
        if (takeWord("Infinity")) {
            out = Value::number(std::string(text_.substr(start, at_ - start)));
            return true;
        }
        bool leadingZero = peek() == '0';
        std::size_t whole = digits();
        if (whole == 0)
            return fail("a value is missing here", start);
        if (leadingZero && whole > 1)
            return fail("a number with a leading zero", start);
        if (peek() == '.' && (++at_, digits() == 0))
            return fail("digits are missing after the decimal point");
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-')
                ++at_;
            if (digits() == 0)
                return fail("digits are missing in the exponent");
        }
        out = Value::number(std::string(text_.substr(start, at_ - start)));
        return true;
    }

    bool hex4(unsigned &unit) {
        unit = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            char c = peek();
            unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                             : c >= 'a' && c <= 'f' ? c - 'a' + 10
                             : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                    : 16;
            if (digit == 16)
                return fail("four hexadecimal digits are missing after \\u");
            unit = unit * 16 + digit;
        }
        return true;
    }

    bool unicodeEscape(std::string &out) {
        unsigned unit = 0;
        if (!hex4(unit))
            return false;
        char32_t code = unit;
        if (unit >= 0xD800 && unit < 0xDC00 && text_.substr(at_, 2) == "\\u") {
            std::size_t second = at_;
            unsigned low = 0;
            at_ += 2;
            if (!hex4(low))
                return false;
            if (low >= 0xDC00 && low < 0xE000)
                code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            else
                at_ = second; // a lone surrogate, followed by another escape
        }
        appendUtf8(out, code);
        return true;
    }

    bool escape(std::string &out) {
        char c = peek();
        ++at_;
        switch (c) {
        case '"':
        case '\\':
        case '/':
            out += c;
            return true;
        case 'b':
            out += '\b';
            return true;
        case 'f':
            out += '\f';
            return true;
        case 'n':
            out += '\n';
            return true;
        case 'r':
            out += '\r';
            return true;
        case 't':
            out += '\t';
            return true;
        case 'u':
            return unicodeEscape(out);
        default:
            return fail("an unknown escape", at_ - 1);
        }
    }

    bool string(std::string &out) {
        std::size_t start = at_++;
        for (;;) {
            if (at_ >= text_.size())
                return fail("a string without end", start);
            unsigned char c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') {
                ++at_;
                return true;
            }
            if (c == '\\') {
                ++at_;
                if (!escape(out))
                    return false;
            } else if (c < 0x20) {
                return fail("a control character inside a string");
            } else {
                Utf8Char u = decodeUtf8(text_, at_);
                if (!u.length)
                    return fail("bytes that are no UTF-8");
                out.append(text_, at_, u.length);
                at_ += u.length;
            }
        }
    }

    bool array(Value &out) {
        if (depthLeft_-- <= 0)
            return fail("nested too deeply");
        ++at_;
        std::vector<Value> items;
        if (!take(']'))
            do {
                if (!value(items.emplace_back()))
                    return false;
                if (take(']'))
                    break;
                if (!take(','))
                    return fail("`,` or `]` is missing here");
            } while (true);
        out = Value::array(std::move(items));
        ++depthLeft_;
        return true;
    }

    bool member(Value::Member &m) {
        skipSpace();
        if (peek() != '"')
            return fail("a member name in quotes is missing here");
        if (!string(m.first))
            return false;
        if (!take(':'))
            return fail("`:` is missing here");
        return value(m.second);
    }

    bool object(Value &out) {
        if (depthLeft_-- <= 0)
            return fail("nested too deeply");
        ++at_;
        std::vector<Value::Member> members;
        if (!take('}'))
            do {
                if (!member(members.emplace_back(std::string(), Value())))
                    return false;
                if (take('}'))
                    break;
                if (!take(','))
                    return fail("`,` or `}` is missing here");
            } while (true);
        mergeDuplicates(members);
        out = Value::object(std::move(members));
        ++depthLeft_;
        return true;
    }

    /// As in a Python dict, a repeated key keeps the place of its first and the value of its last occurrence.
    static void mergeDuplicates(std::vector<Value::Member> &members) {
        std::vector<std::size_t> order(members.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return members[a].first < members[b].first; });
        std::vector<bool> drop(members.size());
        bool any = false;
        for (std::size_t i = 0; i < order.size();) {
            std::size_t last = i;
            while (last + 1 < order.size() && members[order[last + 1]].first == members[order[i]].first)
                drop[order[++last]] = any = true;
            if (last != i)
                members[order[i]].second = std::move(members[order[last]].second);
            i = last + 1;
        }
        if (!any)
            return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < members.size(); ++i)
            if (!drop[i]) {
                if (kept != i)
                    members[kept] = std::move(members[i]);
                ++kept;
            }
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(kept), members.end());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depthLeft_;
    const char *error_ = "";
};

} // namespace

std::optional<Value> parse(std::string_view text, std::string *error, std::size_t *offset, int maxDepth) {
    Parser parser(text, maxDepth);
    Value result;
    if (parser.document(result))
        return result;
    if (error)
        *error = parser.error();
    if (offset)
        *offset = parser.offset();
    return std::nullopt;
}

} // namespace sdfgc::json
