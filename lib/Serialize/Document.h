// The JSON text of a graph: a parsed text that knows its file and the graph element of each value. Locations are computed only when
// something is reported.
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
using JsonKind = json::RefKind;

/// The origin in a graph's text form of a document made of a list of attributes, or of a single value.
struct TextOrigin {
    std::function<diag::Location(std::size_t)> place; // of an offset; only called for reports
    std::size_t at = 0;                               // of the list or value
    std::vector<std::size_t> keys;                    // of the attributes, in the order of the document's members
};

class Document : public json::Text {
public:
    /// Takes ownership of the text (`name` is for diagnostics). parse must be called first.
    Document(std::string text, std::string name);

    /// Reports errors and returns false if the text is not a single JSON value in UTF-8, has duplicate keys or is nested too
    /// deeply.
    bool parse(diag::Engine &d, const Limits &l);

    const std::string &name() const { return name_; }

    /// File, line, column, JSON path, element and source location of a value.
    diag::Location place(Json value) const;
    /// Prefixes this document's locations with those of the value that contains it (a graph stored as a string, as in versions up
    /// to 0.9).
    void setHolder(diag::Location holder);
    /// Makes locations refer to the text form.
    void setOrigin(TextOrigin o) { origin_ = std::move(o); }
    bool isText() const { return origin_.place != nullptr; }
    /// Prefix of the keys of unknown attributes in such a document.
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
