// The reading visitor of Fields.h: takes attributes out of one JSON object and sees what is left.
#pragma once

#include "ValueReader.h"

#include <functional>

namespace sdfgc::serialize {

class FieldReader {
public:
    /// `attributes` may be absent (then every attribute has its default).
    FieldReader(ValueReader &values, Json attributes);

    ValueReader &values() { return values_; }
    /// The attribute's value, which then counts as used; absent if there is none.
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

    /// Puts what was not taken into `extra`: with a warning when the format does not know it for this class. Editors' data, history
    /// and analysis results (format reference 1.6) are dropped.
    void rest(std::string_view className, ir::Extra &extra);
    /// Puts what was not taken into the properties of a library node, without a warning.
    void rest(OrderedMap<std::string, json::Value> &properties);
    /// Of attributes in the text form: calls `f` with the key, whether it is one that sdfgc does not know, and the value.
    void restOfText(const std::function<void(std::string_view, bool, Json)> &f) const;
    /// The keys that were asked for, in a document of the text form.
    std::vector<std::string> asked() const { return {asked_.begin(), asked_.end()}; }

private:
    struct Member {
        std::string_view key;
        uint32_t value;
        bool taken;
    };
    ValueReader &values_;
    std::vector<Member> members_;
    std::vector<std::string_view> asked_; // keys in Fields.h, which stay
    std::size_t next_ = 0;                // files have attributes mostly in the order in which they are asked for
};

} // namespace sdfgc::serialize
