// A parsed JSON text: a flat array of 16-byte nodes over the text itself. The only JSON reader in sdfgc: graphs are
// read from it directly, everything else through json::Value.
//
// RapidJSON decodes strings in place. A node stores the start and length of its text, and the end of its subtree, so
// that skipping a value takes one step. Every node knows its byte in the text; lines and columns are computed from it
// only if something is reported.
//
// The dialect is that of Python's json module: integers of any width, NaN, Infinity, -Infinity. Rejected are text that
// is not UTF-8, escapes of half a surrogate pair, and duplicate keys in an object.
#pragma once

#include "sdfgc/Support/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::json {

class Text;

enum class RefKind : uint8_t { Null, False, True, Number, String, Array, Object };
/// `a string`, `an object`, ...: for "expected ..., found ...".
std::string_view describe(RefKind k);

/// A value in a text; two words, freely copied. A default-constructed one means "absent".
class Ref {
public:
    Ref() = default;
    Ref(const Text &text, uint32_t at) : text_(&text), at_(at) {}

    explicit operator bool() const { return text_ != nullptr; }
    RefKind kind() const;
    bool isNull() const { return kind() == RefKind::Null; }
    bool isBool() const { return kind() == RefKind::True || kind() == RefKind::False; }
    bool isNumber() const { return kind() == RefKind::Number; }
    bool isString() const { return kind() == RefKind::String; }
    bool isArray() const { return kind() == RefKind::Array; }
    bool isObject() const { return kind() == RefKind::Object; }
    /// Decoded text of a string, token of a number; empty otherwise.
    std::string_view text() const;
    /// Number of items or members.
    std::size_t size() const;
    /// Returns a member of an object by name; absent if there is none or if this is not an object.
    Ref find(std::string_view key) const;
    /// Returns the value as an owning json::Value.
    Value value() const;

    uint32_t index() const { return at_; }

    struct Member;
    /// Iteration over the items of an array (over nothing for other kinds).
    struct Items;
    Items items() const;
    /// Iteration over the members of an object (over nothing for other kinds).
    struct Members;
    Members members() const;

private:
    const Text *text_ = nullptr;
    uint32_t at_ = 0;
};

/// Why a text is rejected, and at which byte.
struct ParseError {
    enum class Reason : uint8_t { NotUtf8, Syntax, TooDeep, TooLarge, DuplicateKey };
    Reason reason;
    uint64_t byte;
    std::string what; // the byte as 0xff; RapidJSON's message; nothing; what is too large; the key
};

struct Position {
    int line = 0, column = 0; // from 1
};

class Text {
public:
    struct Node {
        uint64_t start : 56; // byte of the first character (for a string, after the quote)
        uint64_t kind : 8;
        uint32_t size; // bytes of a string or number, children of an array, members of an object
        uint32_t end;  // index after the last node of this value
    };

    /// Takes ownership of the text. Call parse first.
    explicit Text(std::string text);
    Text(const Text &) = delete;
    Text &operator=(const Text &) = delete;

    /// Returns nothing if the text is one JSON value with at most `depth` levels of nesting. After an error, the nodes
    /// up to that point are kept and closed; a key without a value has null.
    std::optional<ParseError> parse(int depth);

    Ref root() const { return Ref(*this, 0); }
    const Node &node(uint32_t at) const { return nodes_[at]; }
    /// Number of values and keys.
    std::size_t nodeCount() const { return nodes_.size(); }
    std::string_view textOf(uint32_t at) const { return std::string_view(text_).substr(nodes_[at].start, nodes_[at].size); }
    /// Bytes of the text.
    std::size_t size() const { return text_.size(); }
    /// Returns the line and column of a byte in the original text, before strings were decoded.
    Position position(uint64_t byte) const;

private:
    friend class Parser;
    void indexLines() const;

    std::string text_;
    std::vector<Node> nodes_;
    uint64_t brokenStringAt_ = UINT64_MAX;     // start of the string in which parsing stopped
    mutable std::vector<uint64_t> lineStarts_; // computed by the first call of position
};

struct Ref::Member {
    Ref key;
    Ref value;
};

struct Ref::Items {
    struct Iterator {
        const Text *text;
        uint32_t at;
        Ref operator*() const { return Ref(*text, at); }
        Iterator &operator++() {
            at = text->node(at).end;
            return *this;
        }
        bool operator!=(const Iterator &o) const { return at != o.at; }
    };
    const Text *text;
    uint32_t first, last;
    Iterator begin() const { return {text, first}; }
    Iterator end() const { return {text, last}; }
};

struct Ref::Members {
    struct Iterator {
        const Text *text;
        uint32_t at;
        Member operator*() const { return {Ref(*text, at), Ref(*text, at + 1)}; }
        Iterator &operator++() {
            at = text->node(at + 1).end;
            return *this;
        }
        bool operator!=(const Iterator &o) const { return at != o.at; }
    };
    const Text *text;
    uint32_t first, last;
    Iterator begin() const { return {text, first}; }
    Iterator end() const { return {text, last}; }
};

inline RefKind Ref::kind() const { return static_cast<RefKind>(text_->node(at_).kind); }
inline std::size_t Ref::size() const { return text_->node(at_).size; }
inline std::string_view Ref::text() const { return isString() || isNumber() ? text_->textOf(at_) : std::string_view(); }
inline Ref::Items Ref::items() const { return isArray() ? Items{text_, at_ + 1, text_->node(at_).end} : Items{text_, at_, at_}; }
inline Ref::Members Ref::members() const {
    return isObject() ? Members{text_, at_ + 1, text_->node(at_).end} : Members{text_, at_, at_};
}

} // namespace sdfgc::json
