// A small owning JSON value that preserves member order: for properties that sdfgc passes through without interpreting
// them (unknown attributes, library node properties) and for the JSON that sdfgc writes (manifest, source maps,
// reports).
//
// Reading graphs does not use this type: Serialize reads from the parsed text (JsonText.h) and converts only the parts
// that it must keep. Numbers keep their text, because Python's JSON has integers of any width and the tokens NaN,
// Infinity, -Infinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sdfgc::json {

class Value {
public:
    enum class Kind : uint8_t { Null, Bool, Number, String, Array, Object };
    using Member = std::pair<std::string, Value>;

    Value() = default;
    Value(bool b) : kind_(Kind::Bool), text_(b ? "true" : "false") {}
    Value(int v) : Value(static_cast<int64_t>(v)) {}
    Value(int64_t v) : kind_(Kind::Number), text_(std::to_string(v)) {}
    Value(uint64_t v) : kind_(Kind::Number), text_(std::to_string(v)) {}
    Value(double v);
    Value(std::string s) : kind_(Kind::String), text_(std::move(s)) {}
    Value(std::string_view s) : kind_(Kind::String), text_(s) {}
    Value(const char *s) : kind_(Kind::String), text_(s) {}
    static Value number(std::string token);
    // Overloads instead of a default argument: clang 14 would instantiate std::pair<..., Value> before Value is
    // complete.
    static Value array();
    static Value array(std::vector<Value> items);
    static Value object();
    static Value object(std::vector<Member> members);

    Kind kind() const { return kind_; }
    bool isNull() const { return kind_ == Kind::Null; }
    bool isBool() const { return kind_ == Kind::Bool; }
    bool isNumber() const { return kind_ == Kind::Number; }
    bool isString() const { return kind_ == Kind::String; }
    bool isArray() const { return kind_ == Kind::Array; }
    bool isObject() const { return kind_ == Kind::Object; }

    /// Text of a string, token of a number, "true"/"false" of a bool; empty otherwise.
    const std::string &text() const { return text_; }
    bool asBool(bool otherwise = false) const { return kind_ == Kind::Bool ? text_ == "true" : otherwise; }
    /// Returns the integer if the value is a number (or a numeric string) that is integral and fits.
    std::optional<int64_t> asInt() const;
    std::optional<double> asDouble() const;

    const std::vector<Value> &items() const { return items_; }
    std::vector<Value> &items() { return items_; }
    const std::vector<Member> &members() const { return members_; }
    std::vector<Member> &members() { return members_; }
    /// Returns a member of an object by name, or null.
    const Value *get(std::string_view key) const;
    /// Appends or overwrites a member (a null value becomes an object).
    void set(std::string_view key, Value v);
    void push(Value v);

    /// Returns compact (indent < 0) or indented text; strings are escaped as ASCII-safe JSON. `dump(parse(t))`
    /// preserves order and number tokens.
    std::string dump(int indent = -1) const;
    friend bool operator==(const Value &a, const Value &b);

private:
    Kind kind_ = Kind::Null;
    std::string text_;
    std::vector<Value> items_;
    std::vector<Member> members_;
};

/// Creates an array of strings.
Value strings(const std::vector<std::string> &list);

/// Appends `s` to `out` as a quoted JSON string.
void appendQuoted(std::string &out, std::string_view s);

/// Parses JSON text (the dialect of JsonText.h). Returns nothing on a syntax error or beyond `maxDepth` levels, and
/// sets `*error` to the reason and `*offset` to the byte, if given.
std::optional<Value> parse(std::string_view text, std::string *error = nullptr, std::size_t *offset = nullptr, int maxDepth = 1000);

} // namespace sdfgc::json
