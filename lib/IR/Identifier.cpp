#include "sdfgc/IR/Identifier.h"

namespace sdfgc::ir {

bool isIdentifier(std::string_view text, bool dotted) {
    if (text == "True" || text == "False" || text == "None")
        return false;
    bool first = true;
    for (char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (c == '.' && dotted && !first) {
            first = true;
            continue;
        }
        if (!letter && (first || c < '0' || c > '9'))
            return false;
        first = false;
    }
    return !first;
}

Name ownerOf(Name data) {
    const std::size_t dot = data.view().find('.');
    return dot == std::string_view::npos ? data : Name(data.view().substr(0, dot));
}

} // namespace sdfgc::ir
