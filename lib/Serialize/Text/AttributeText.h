// Attributes of an element in parentheses: ` (CPU_Multicore, collapse = 2, at 12:4)`. The printing visitor of Fields.h.
#pragma once

#include "Serialize/Text/Words.h"
#include "Serialize/ValueWriter.h"

#include <algorithm>

namespace sdfgc::serialize::text {

/// The key of an attribute in the text: without the prefix that marks sdfgc's own attributes in files.
inline constexpr std::string_view kMetaPrefix = "_meta_sdfgc_";
inline std::string_view shortKey(std::string_view key) {
    return key.starts_with(kMetaPrefix) ? key.substr(kMetaPrefix.size()) : key;
}

/// How values of an SDFG are written.
struct ValueText {
    explicit ValueText(const ir::SDFG &g) : exprs(g), writer(scratch, JsonWriter::Relaxed{isPlainString}), values(writer, exprs) {}
    template <class T> const std::string &of(const T &v) {
        scratch.clear();
        values.write(v);
        return scratch;
    }
    ExprText exprs;
    std::string scratch;
    JsonWriter writer;
    ValueWriter values;
};

class AttributeText {
public:
    explicit AttributeText(ValueText &values) : values_(values) {}

    void add(std::string_view item) {
        text_ += text_.empty() ? " (" : ", ";
        text_ += item;
    }
    template <class T> void add(std::string_view key, const T &value) { add(std::string(key) + " = " + values_.of(value)); }
    /// Omits attributes that have their own position in the line.
    AttributeText &without(std::initializer_list<std::string_view> keys) {
        skip_ = keys;
        return *this;
    }
    /// Attributes that sdfgc does not know: with the key in quotes.
    void extra(const ir::Extra &e) {
        for (const auto &[key, value] : e.all())
            add(quoted(key), value);
    }
    std::string take() { return text_.empty() ? std::string() : std::exchange(text_, std::string()) + ")"; }

    // ---- visitor
    template <class T> void field(std::string_view key, const T &value, const T &otherwise) {
        if (!same(value, otherwise) && std::find(skip_.begin(), skip_.end(), key) == skip_.end())
            item(shortKey(key), value);
    }
    void field(std::string_view, const ir::DebugInfo &, const ir::DebugInfo &) {} // `at` needs the last file
    template <class T> void nullable(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }
    template <class T> void identifier(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }
    template <class T> void dataName(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }
    void number(std::string_view key, sym::Expr value, sym::Expr otherwise) { field(key, value, otherwise); }
    template <class T> void meta(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }

private:
    template <class T> static bool same(const T &a, const T &b) { return a == b; }
    template <class T> static bool same(const std::unique_ptr<T> &a, const std::unique_ptr<T> &) { return !a; }
    template <class T>
    static bool same(const std::vector<std::pair<Name, std::unique_ptr<T>>> &a,
                     const std::vector<std::pair<Name, std::unique_ptr<T>>> &) {
        return a.empty();
    }
    template <class T> void item(std::string_view key, const T &value) { add(key, value); }
    void item(std::string_view key, bool value) { value ? add(key) : add(std::string(key) + " = false"); }

    ValueText &values_;
    std::string text_;
    std::vector<std::string_view> skip_;
};

} // namespace sdfgc::serialize::text
