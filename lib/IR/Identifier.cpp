#include "sdfgc/IR/Identifier.h"

#include "sdfgc/IR/LabelName.h"

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

std::string identifierOf(std::string_view label, std::string_view prefix) {
    std::string name(label);
    for (char &c : name)
        if (!isIdentifier(std::string("_") + c))
            c = '_';
    if (!isIdentifier(name))
        name.insert(0, prefix);
    return name;
}

Name ownerOf(Name data) {
    const std::size_t dot = data.view().find('.');
    return dot == std::string_view::npos ? data : Name(data.view().substr(0, dot));
}

} // namespace sdfgc::ir
