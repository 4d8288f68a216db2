// The JSON value and its writer; the reader is JsonText.h.
#include "sdfgc/Support/JsonWriter.h"

#include "sdfgc/Support/FloatText.h"
#include "sdfgc/Support/Utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sdfgc::json {
namespace {

/// In the format of Python.
std::string floatToken(double v) {
    if (std::isnan(v))
        return "NaN";
    if (std::isinf(v))
        return v < 0 ? "-Infinity" : "Infinity";
    return floatText(v);
}

void appendEscape(std::string &out, unsigned unit) {
    static const char digits[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += digits[unit >> shift & 15];
}

void appendNonAscii(std::string &out, char32_t c) {
    if (c >= 0x10000) {
        appendEscape(out, 0xD800 + ((c - 0x10000) >> 10));
        appendEscape(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
        appendEscape(out, c);
    }
}

/// The number of characters at the start that need no escape inside quotes.
std::size_t plainPrefix(std::string_view s) {
    std::size_t n = 0;
    while (n < s.size() && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' && s[n] != 0x7f)
        ++n;
    return n;
}

/// Appends an ASCII character that must be escaped.
void appendEscaped(std::string &out, char c) {
    switch (c) {
    case '"':
        out += "\\\"";
        break;
    case '\\':
        out += "\\\\";
        break;
    case '\n':
        out += "\\n";
        break;
    case '\r':
        out += "\\r";
        break;
    case '\t':
        out += "\\t";
        break;
    case '\b':
        out += "\\b";
        break;
    case '\f':
        out += "\\f";
        break;
    default:
        appendEscape(out, static_cast<unsigned char>(c));
    }
}

} // namespace

void Writer::value(const Value &v) {
    switch (v.kind()) {
    case Value::Kind::Array:
        beginArray();
        for (const Value &item : v.items())
            value(item);
        endArray();
        break;
    case Value::Kind::Object:
        beginObject();
        for (const auto &[k, member] : v.members()) {
            anyKey(k);
            value(member);
        }
        endObject();
        break;
    case Value::Kind::String:
        string(v.text());
        break;
    case Value::Kind::Null:
        null();
        break;
    case Value::Kind::Bool:
    case Value::Kind::Number:
        raw(v.text());
        break;
    }
}

Value::Value(double v) : kind_(Kind::Number), text_(floatToken(v)) {}

Value Value::number(std::string token) {
    Value v;
    v.kind_ = Kind::Number;
    v.text_ = std::move(token);
    return v;
}

Value Value::array() { return array(std::vector<Value>()); }

Value Value::object() { return object(std::vector<Member>()); }

Value Value::array(std::vector<Value> items) {
    Value v;
    v.kind_ = Kind::Array;
    v.items_ = std::move(items);
    return v;
}

Value Value::object(std::vector<Member> members) {
    Value v;
    v.kind_ = Kind::Object;
    v.members_ = std::move(members);
    return v;
}

std::optional<int64_t> Value::asInt() const {
    if (kind_ != Kind::Number && kind_ != Kind::String)
        return std::nullopt;
    int64_t result = 0;
    const char *first = text_.data(), *last = first + text_.size();
    auto [end, ec] = std::from_chars(first, last, result);
    if (ec == std::errc() && end == last)
        return result;
    // `1e3` and `4.0` are also integers, as long as a double represents all of their digits.
    std::optional<double> d = asDouble();
    constexpr double exactLimit = 9007199254740992.0; // 2^53
    if (d && std::fabs(*d) < exactLimit && std::floor(*d) == *d)
        return static_cast<int64_t>(*d);
    return std::nullopt;
}

std::optional<double> Value::asDouble() const {
    if (kind_ != Kind::Number && kind_ != Kind::String)
        return std::nullopt;
    double result = 0;
    const char *first = text_.data(), *last = first + text_.size();
    auto [end, ec] = std::from_chars(first, last, result); // also reads Infinity and NaN
    if (end != last || first == last)
        return std::nullopt;
    if (ec == std::errc::result_out_of_range) // too large or too small: becomes an infinity or zero, as in Python
        return std::strtod(text_.c_str(), nullptr);
    if (ec != std::errc())
        return std::nullopt;
    return result;
}

const Value *Value::get(std::string_view key) const {
    for (const Member &m : members_)
        if (m.first == key)
            return &m.second;
    return nullptr;
}

void Value::set(std::string_view key, Value v) {
    if (kind_ == Kind::Null)
        kind_ = Kind::Object;
    for (Member &m : members_)
        if (m.first == key) {
            m.second = std::move(v);
            return;
        }
    members_.emplace_back(std::string(key), std::move(v));
}

void Value::push(Value v) {
    if (kind_ == Kind::Null)
        kind_ = Kind::Array;
    items_.push_back(std::move(v));
}

std::string Value::dump(int indent) const {
    std::string out;
    Writer(out, indent).value(*this);
    return out;
}

bool operator==(const Value &a, const Value &b) {
    return a.kind_ == b.kind_ && a.text_ == b.text_ && a.items_ == b.items_ && a.members_ == b.members_;
}

Value strings(const std::vector<std::string> &list) { return Value::array({list.begin(), list.end()}); }

void appendQuoted(std::string &out, std::string_view s) {
    out += '"';
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t plain = plainPrefix(s.substr(at));
        out.append(s, at, plain);
        at += plain;
        if (at == s.size())
            break;
        if (static_cast<unsigned char>(s[at]) < 0x80) {
            appendEscaped(out, s[at++]);
            continue;
        }
        Utf8Char c = decodeUtf8(s, at);
        appendNonAscii(out, c.length ? c.code : 0xFFFD); // a byte that is not valid UTF-8 becomes the replacement character
        at += c.length ? c.length : 1;
    }
    out += '"';
}

} // namespace sdfgc::json
