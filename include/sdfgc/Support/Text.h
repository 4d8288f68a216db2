// Small things that are done with words and lines.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::text {

/// `a, b`: the words (texts, or what has `str()`) with `separator` between them.
template <class Words> std::string joined(const Words &words, std::string_view separator = ", ") {
    std::string out;
    bool first = true;
    for (const auto &w : words) {
        if (!first)
            out += separator;
        first = false;
        if constexpr (requires { out += w; })
            out += w;
        else
            out += w.str();
    }
    return out;
}

/// `` `a`, `b` ``.
template <class Words> std::string quotedList(const Words &words) {
    return words.empty() ? std::string() : "`" + joined(words, "`, `") + "`";
}

/// Without blanks and tabs at both ends.
inline std::string_view trimmed(std::string_view s) {
    const std::size_t first = s.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

/// With blanks after it, up to `width` bytes.
inline std::string padded(std::string_view s, std::size_t width) {
    std::string out(s);
    if (out.size() < width)
        out.resize(width, ' ');
    return out;
}

} // namespace sdfgc::text
