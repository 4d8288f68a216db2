// Attributes in parentheses, as parsed: words, a location, and keys with values, which become the JSON object from which the
// properties of Fields.h are read.
#pragma once

#include "Serialize/FieldReader.h"
#include "Serialize/Text/Cursor.h"

#include <optional>

namespace sdfgc::serialize::text {

struct Attributes {
    struct Word {
        std::string_view text;
        std::size_t at;
    };
    struct Key {
        std::string text; // quoted ones begin with Document::kForeign
        std::size_t at;
    };
    std::vector<Word> words; // `CPU_Multicore`, `unroll`, `+`
    std::optional<ir::DebugInfo> location;
    bool noLocation = false; // `at none`
    std::vector<Key> keys;
    std::string json; // the members of the object, without its braces
    std::size_t at = 0;

    /// Removes a word for which `f` is true from the list.
    template <class F> void take(const F &f) {
        std::erase_if(words, [&](const Word &w) { return f(w.text); });
    }
    bool takeWord(std::string_view word) {
        return std::erase_if(words, [&](const Word &w) { return w.text == word; }) > 0;
    }
};

/// Appends the value at `c` (up to a comma or closing bracket outside of brackets, or the end of the line) as strict JSON: words
/// are quoted. Returns the position of an error, or npos.
std::size_t appendValue(Cursor &c, std::string &json);

} // namespace sdfgc::serialize::text
