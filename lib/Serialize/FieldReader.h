// The reading visitor of Fields.h: takes attributes from a JSON object and tracks the rest.
#pragma once

#include "ValueReader.h"

#include <functional>

namespace sdfgc::serialize {

class FieldReader {
public:
    /// `attributes` may be absent (then every attribute has its default).
    FieldReader(ValueReader &values, Json attributes);

    ValueReader &values() { return values_; }
    /// The attribute's value, which is then marked as used; absent if there is none.
    Json take(std::string_view key);

    template <class T> void field(std::string_view key, T &out) {
        if (Json v = take(key))
            values_.read(key, v, out);
    }
    void nullable(std::string_view key, std::string &out);
    void identifier(std::string_view key, Name &out);
    void identifier(std::string_view key, std::vector<Name> &out);
    void dataName(std::string_view key, Name &out);
    void number(std::string_view key, sym::Expr &out) { field(key, out); }
    template <class T> void meta(std::string_view key, T &out) {
        constexpr std::string_view kPrefix = "_meta_sdfgc_"; // left out in the text form
        field(values_.document().isText() && key.starts_with(kPrefix) ? key.substr(kPrefix.size()) : key, out);
    }

    /// Moves the remaining attributes to `extra`, with a warning if the format does not have them for this class. Editor data,
    /// history and analysis results (format reference 1.6) are dropped.
    void rest(std::string_view className, ir::Extra &extra);
    /// Moves the remaining attributes to the properties of a library node, without a warning.
    void rest(OrderedMap<std::string, json::Value> &properties);
    /// For attributes in the text form: calls `f` with the key, whether it is unknown to sdfgc, and the value.
    void restOfText(const std::function<void(std::string_view, bool, Json)> &f) const;
    /// The keys that were queried, for a document of the text form.
    std::vector<std::string> asked() const { return {asked_.begin(), asked_.end()}; }

private:
    struct Member {
        std::string_view key;
        uint32_t value;
        bool taken;
    };
    ValueReader &values_;
    std::vector<Member> members_;
    std::vector<std::string_view> asked_; // keys in Fields.h, which outlive this object
    std::size_t next_ = 0;                // attributes are mostly stored in the order in which they are queried
};

} // namespace sdfgc::serialize
