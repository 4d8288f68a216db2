// Text for comments of generated sources.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sdfgc {

/// The text of a comment to the end of a line in C++, which no character of it goes beyond: ends of lines and backslashes are blanks.
inline std::string commentText(std::string_view s) {
    std::string out(s);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
    return out;
}

} // namespace sdfgc
