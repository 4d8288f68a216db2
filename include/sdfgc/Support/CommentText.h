// Text for comments in generated sources.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sdfgc {

/// Makes a text safe for a C++ line comment: line ends and backslashes become blanks.
inline std::string commentText(std::string_view s) {
    std::string out(s);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
    return out;
}

} // namespace sdfgc
