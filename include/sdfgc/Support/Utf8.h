// UTF-8 for JSON: surrogates are accepted (Python's JSON has lone ones, written `\ud800`), so that they survive a round
// trip.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sdfgc {

/// Some editors write it at the start of a text; it has no meaning and is skipped.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Returns the start of the text, after a byte order mark if there is one.
inline std::size_t startOfText(std::string_view s) { return s.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; }

struct Utf8Char {
    char32_t code = 0;
    std::size_t length = 0; // bytes; 0 if the bytes are not UTF-8
};

/// Decodes the character at byte `at` (which must be inside `s`): overlong forms and values beyond 0x10FFFF have length
/// 0.
inline Utf8Char decodeUtf8(std::string_view s, std::size_t at) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    unsigned lead = byte(at);
    if (lead < 0x80)
        return {lead, 1};
    std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || s.size() - at < length)
        return {};
    char32_t code = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80)
            return {};
        code = code << 6 | (byte(at + i) & 0x3F);
    }
    static constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < smallest[length] || code > 0x10FFFF)
        return {};
    return {code, length};
}

/// Returns the byte of the first sequence that is not UTF-8 (which includes surrogates), or nothing. Fast over ASCII.
std::optional<std::size_t> firstInvalidUtf8(std::string_view s);

/// Returns a byte as shown in reports: `0xdf`.
std::string describeByte(char c);

inline void appendUtf8(std::string &out, char32_t c) {
    auto put = [&](char32_t b) { out += static_cast<char>(static_cast<unsigned char>(b)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

} // namespace sdfgc
