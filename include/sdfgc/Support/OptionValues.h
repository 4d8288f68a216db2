// Types of option values, and their text on a command line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fmt/core.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sdfgc {

/// The words that users write for an enumeration, as a member `list` in the order of the enumerators, which count from 0. Each such
/// enumeration specialises it.
template <class E> struct Words;

/// An enumeration that users write as a word.
template <class E>
concept Choice = std::is_enum_v<E> && requires {
    Words<E>::list;
};

template <Choice E> std::string_view word(E e) { return Words<E>::list[static_cast<std::size_t>(e)]; }

/// The enumerator of a word; nothing for other words.
template <Choice E> std::optional<E> parseWord(std::string_view text) {
    const auto at = std::find(std::begin(Words<E>::list), std::end(Words<E>::list), text);
    if (at == std::end(Words<E>::list))
        return std::nullopt;
    return static_cast<E>(at - std::begin(Words<E>::list));
}

template <Choice E> std::vector<std::string> wordsOf() { return {std::begin(Words<E>::list), std::end(Words<E>::list)}; }

/// A whole number from 1 on.
struct Positive {
    constexpr Positive(int v) : value(v) {}
    constexpr operator int() const { return value; }
    int value;
};

/// The text of a value, as its option takes it. Other types have an `optionText` in their own namespace.
inline std::string optionText(bool v) { return v ? "true" : "false"; }
inline std::string optionText(int v) { return std::to_string(v); }
inline std::string optionText(Positive v) { return std::to_string(v.value); }
inline std::string optionText(double v) { return fmt::format("{}", v); }
inline std::string optionText(const std::string &v) { return v; }
inline std::string optionText(const std::vector<std::string> &v) {
    std::string out;
    for (const std::string &one : v)
        out += (out.empty() ? "" : ",") + one;
    return out;
}
template <Choice E> std::string optionText(E v) { return std::string(word(v)); }
template <class T> std::string optionText(const std::optional<T> &v) { return v ? optionText(*v) : std::string(); }

/// Appends to `words` those that give an option a value: `--gpu-streams 1`, or the name alone for a flag. Of several names
/// (`-O,--optimize`) the first is taken.
template <class T> void appendOption(std::vector<std::string> &words, std::string_view names, const T &value) {
    words.emplace_back(names.substr(0, names.find(',')));
    if constexpr (!std::is_same_v<T, bool>)
        words.push_back(optionText(value));
}

/// `gpu-streams` of `--gpu-streams`, `optimize` of `-O,--optimize`.
inline std::string_view optionKey(std::string_view names) { return names.substr(names.rfind("--") + 2); }

} // namespace sdfgc
