// Interned names: eight bytes, compared by identity for equality and by text for order.
//
// Containers, symbols, connectors, labels and property names repeat thousands of times in a graph. Each text is stored
// once, for the lifetime of the process. Names are ordered by their text (by byte, which for UTF-8 is by code point),
// never by address, so that sorted output is the same in every run (docs/developer/design.md, principle 5).
#pragma once

#include <compare>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace sdfgc {

class Name {
public:
    /// The empty name.
    Name() : text_(emptyText()) {}
    /// Interns `text` (copied). Thread-safe. Fails only if memory runs out.
    Name(std::string_view text) : text_(intern(text)) {}
    Name(const char *text) : text_(intern(text)) {}
    Name(const std::string &text) : text_(intern(text)) {}

    const std::string &str() const { return *text_; }
    std::string_view view() const { return *text_; }
    const char *c_str() const { return text_->c_str(); }
    bool empty() const { return text_->empty(); }
    explicit operator bool() const { return !empty(); }

    friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
    friend std::strong_ordering operator<=>(Name a, Name b) {
        return a.text_ == b.text_ ? std::strong_ordering::equal : a.str().compare(b.str()) <=> 0;
    }
    friend std::ostream &operator<<(std::ostream &os, Name n) { return os << n.str(); }
    /// Hash of the identity. Only for lookups: iterating over hashed containers must not affect output.
    std::size_t hash() const { return std::hash<const void *>()(text_); }

private:
    static const std::string *intern(std::string_view text);
    static const std::string *emptyText();
    const std::string *text_;
};

} // namespace sdfgc

template <> struct std::hash<sdfgc::Name> {
    std::size_t operator()(sdfgc::Name n) const { return n.hash(); }
};
