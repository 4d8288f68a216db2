// A parsed JSON text: a flat array of 16-byte nodes over the text itself.
//
// RapidJSON decodes the strings of the text in place; a node keeps where its text starts, how long it is, and where its subtree
// ends, so that skipping a value is one step. Every node knows its byte in the text: lines, columns and JSON paths are computed
// from it when (and only when) something is reported.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Serialize/Serialize.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::serialize {

class Document;

enum class JsonKind : uint8_t { Null, False, True, Number, String, Array, Object };
/// `a string`, `an object`, ...: for "expected ..., found ...".
std::string_view describe(JsonKind k);

/// A value of a document; two words, freely copied. A default-constructed one stands for "absent".
class Json {
public:
    Json() = default;
    Json(const Document &doc, uint32_t at) : doc_(&doc), at_(at) {}

    explicit operator bool() const { return doc_ != nullptr; }
    JsonKind kind() const;
    bool isNull() const { return kind() == JsonKind::Null; }
    bool isBool() const { return kind() == JsonKind::True || kind() == JsonKind::False; }
    bool isNumber() const { return kind() == JsonKind::Number; }
    bool isString() const { return kind() == JsonKind::String; }
    bool isArray() const { return kind() == JsonKind::Array; }
    bool isObject() const { return kind() == JsonKind::Object; }
    /// Decoded text of a string, token of a number, empty otherwise.
    std::string_view text() const;
    /// Number of items or members.
    std::size_t size() const;
    /// Member of an object by name; absent if there is none or this is no object.
    Json find(std::string_view key) const;

    const Document &document() const { return *doc_; }
    uint32_t index() const { return at_; }

    struct Member;
    /// Iteration over the items of an array (over nothing for other kinds).
    struct Items;
    Items items() const;
    /// Iteration over the members of an object (over nothing for other kinds).
    struct Members;
    Members members() const;

private:
    const Document *doc_ = nullptr;
    uint32_t at_ = 0;
};

class Document {
public:
    struct Node {
        uint64_t start : 56; // byte of the first character (of a string: behind the quote)
        uint64_t kind : 8;
        uint32_t size; // bytes of a string or number, children of an array, members of an object
        uint32_t end;  // index behind the last node of this value
    };

    /// Takes over the text (`name` is for diagnostics). Call parse before anything else.
    Document(std::string text, std::string name);
    Document(const Document &) = delete;
    Document &operator=(const Document &) = delete;

    /// Reports what is wrong and returns false for text that is not one JSON value in UTF-8, has duplicate keys or is nested deeper
    /// than the limit.
    bool parse(diag::Engine &d, const Limits &l);

    Json root() const { return Json(*this, 0); }
    const Node &node(uint32_t at) const { return nodes_[at]; }
    std::string_view textOf(uint32_t at) const { return std::string_view(text_).substr(nodes_[at].start, nodes_[at].size); }
    const std::string &name() const { return name_; }
    /// Bytes of the text.
    std::size_t size() const { return text_.size(); }

    /// File, line, column, JSON path, element and source location of a value.
    diag::Place place(Json value) const;
    /// Puts this document's places behind those of the value that holds it (a graph stored as a string, as versions up to 0.9 do).
    void setHolder(diag::Place holder);

private:
    friend class DocumentBuilder;
    diag::Place placeOfByte(uint64_t at) const;
    void indexLines() const;

    std::string text_, name_;
    std::vector<Node> nodes_;
    bool held_ = false;
    diag::Place holder_;
    uint64_t brokenStringAt_ = UINT64_MAX;     // start of the string in which parsing stopped
    mutable std::vector<uint64_t> lineStarts_; // filled by the first report
};

struct Json::Member {
    Json key;
    Json value;
};

struct Json::Items {
    struct Iterator {
        const Document *doc;
        uint32_t at;
        Json operator*() const { return Json(*doc, at); }
        Iterator &operator++() {
            at = doc->node(at).end;
            return *this;
        }
        bool operator!=(const Iterator &o) const { return at != o.at; }
    };
    const Document *doc;
    uint32_t first, last;
    Iterator begin() const { return {doc, first}; }
    Iterator end() const { return {doc, last}; }
};

struct Json::Members {
    struct Iterator {
        const Document *doc;
        uint32_t at;
        Member operator*() const { return {Json(*doc, at), Json(*doc, at + 1)}; }
        Iterator &operator++() {
            at = doc->node(at + 1).end;
            return *this;
        }
        bool operator!=(const Iterator &o) const { return at != o.at; }
    };
    const Document *doc;
    uint32_t first, last;
    Iterator begin() const { return {doc, first}; }
    Iterator end() const { return {doc, last}; }
};

inline JsonKind Json::kind() const { return static_cast<JsonKind>(doc_->node(at_).kind); }
inline std::size_t Json::size() const { return doc_->node(at_).size; }
inline std::string_view Json::text() const { return isString() || isNumber() ? doc_->textOf(at_) : std::string_view(); }
inline Json::Items Json::items() const { return isArray() ? Items{doc_, at_ + 1, doc_->node(at_).end} : Items{doc_, at_, at_}; }
inline Json::Members Json::members() const {
    return isObject() ? Members{doc_, at_ + 1, doc_->node(at_).end} : Members{doc_, at_, at_};
}

} // namespace sdfgc::serialize
