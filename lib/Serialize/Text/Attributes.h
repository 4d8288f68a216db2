// Attributes in parentheses, as they are read: words, a location, and keys with values, which become the JSON object that the
// properties of Fields.h are read from.
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

    /// Takes a word out of the list for which `f` is true.
    template <class F> void take(const F &f) {
        std::erase_if(words, [&](const Word &w) { return f(w.text); });
    }
    bool takeWord(std::string_view word) {
        return std::erase_if(words, [&](const Word &w) { return w.text == word; }) > 0;
    }
};

/// Appends the value at `c` (up to a comma or closing bracket outside of brackets, or the end of the line) as strict JSON: words
/// get quotes. Returns where it went wrong, npos if nowhere.
std::size_t appendValue(Cursor &c, std::string &json);

} // namespace sdfgc::serialize::text
