#include "sdfgc/Support/Utf8.h"

#include <cstdint>
#include <cstring>

namespace sdfgc {

std::optional<std::size_t> firstInvalidUtf8(std::string_view s) {
    static constexpr uint64_t kHighBits = 0x8080808080808080u;
    for (std::size_t i = 0; i < s.size();) {
        uint64_t word;
        if (i + 8 <= s.size() && (std::memcpy(&word, s.data() + i, 8), (word & kHighBits) == 0)) {
            i += 8;
            continue;
        }
        const Utf8Char c = decodeUtf8(s, i);
        const bool surrogate = c.code >= 0xD800 && c.code <= 0xDFFF;
        if (c.length == 0 || surrogate)
            return i;
        i += c.length;
    }
    return std::nullopt;
}

std::string describeByte(char c) {
    static constexpr char digits[] = "0123456789abcdef";
    const auto b = static_cast<unsigned char>(c);
    return {'0', 'x', digits[b >> 4], digits[b & 15]};
}

} // namespace sdfgc
