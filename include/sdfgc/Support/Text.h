// Small helpers for words and lines.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::text {

/// Returns `a, b`: the words (texts, or objects with `str()`) joined with `separator`.
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

/// Returns `` `a`, `b` ``.
template <class Words> std::string quotedList(const Words &words) {
    return words.empty() ? std::string() : "`" + joined(words, "`, `") + "`";
}

/// Removes leading and trailing blanks, tabs and line ends. If nothing remains, the result is the empty end of `s`.
inline std::string_view trimmed(std::string_view s) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = s.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? s.substr(s.size()) : s.substr(first, s.find_last_not_of(kBlanks) - first + 1);
}

/// Splits at blanks, tabs and line ends.
inline std::vector<std::string> words(std::string_view s) {
    std::vector<std::string> out;
    constexpr std::string_view kBlanks = " \t\n";
    for (std::size_t from = s.find_first_not_of(kBlanks); from != std::string_view::npos; from = s.find_first_not_of(kBlanks)) {
        const std::size_t end = std::min(s.find_first_of(kBlanks, from), s.size());
        out.emplace_back(s.substr(from, end - from));
        s.remove_prefix(end);
    }
    return out;
}

/// Splits at separators outside parentheses and brackets, and trims the parts; at least one part, possibly empty.
inline std::vector<std::string_view> splitOutsideBrackets(std::string_view s, char separator) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (c == separator && depth == 0) {
            parts.push_back(trimmed(s.substr(from, i - from)));
            from = i + 1;
        }
    }
    parts.push_back(trimmed(s.substr(from)));
    return parts;
}

/// A text between quotes, with escapes that Python reads.
inline std::string quoted(std::string_view s, char quote) {
    std::string out(1, quote);
    for (char c : s) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            constexpr std::string_view hex = "0123456789abcdef";
            out += "\\x";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + quote;
}

/// Pads with trailing blanks to `width` bytes.
inline std::string padded(std::string_view s, std::size_t width) {
    std::string out(s);
    if (out.size() < width)
        out.resize(width, ' ');
    return out;
}

} // namespace sdfgc::text
