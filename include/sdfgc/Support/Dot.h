// Strings of the Graphviz language (graphviz.org/doc/info/lang.html).
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::dot {

/// Returns the text in quotes, with left-aligned lines.
inline std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '\n') {
            out += "\\l";
            continue;
        }
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "\"";
}

} // namespace sdfgc::dot
