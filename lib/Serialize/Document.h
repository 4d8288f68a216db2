// The JSON text of a graph: a parsed text that knows its file, and to which element of the graph a value belongs. Places are
// computed when (and only when) something is reported.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/JsonText.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sdfgc::serialize {

using Json = json::Ref;
using JsonKind = json::Kind;

/// Where in the text form of a graph a document comes from that is made of a list of attributes, or of one value there.
struct TextOrigin {
    std::function<diag::Location(std::size_t)> place; // of an offset; only asked for what is reported
    std::size_t at = 0;                               // of the list or value
    std::vector<std::size_t> keys;                    // of the attributes, in the order of the document's members
};

class Document : public json::Text {
public:
    /// Takes over the text (`name` is for diagnostics). Call parse before anything else.
    Document(std::string text, std::string name);

    /// Reports what is wrong and returns false for text that is not one JSON value in UTF-8, has duplicate keys or is nested deeper
    /// than the limit.
    bool parse(diag::Engine &d, const Limits &l);

    const std::string &name() const { return name_; }

    /// File, line, column, JSON path, element and source location of a value.
    diag::Location place(Json value) const;
    /// Puts this document's places after those of the value that holds it (a graph stored as a string, as versions up to 0.9 do).
    void setHolder(diag::Location holder);
    /// Makes places those in the text form.
    void setOrigin(TextOrigin o) { origin_ = std::move(o); }
    bool isText() const { return origin_.place != nullptr; }
    /// What the key of an attribute that sdfgc does not know begins with in such a document.
    static constexpr const char *kForeign = "\x01";

private:
    diag::Location placeOfByte(uint64_t at) const;
    diag::Location placeInText(Json value) const;

    std::string name_;
    bool held_ = false;
    diag::Location holder_;
    TextOrigin origin_;
};

} // namespace sdfgc::serialize
