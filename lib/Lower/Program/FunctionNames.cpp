// Names that no variable hides.
#include "FunctionNames.h"

#include "sdfgc/Tree/NameScopes.h"

#include <cctype>

namespace sdfgc::tree::lowering {

void FunctionNames::readVariables() {
    if (!variables_.empty())
        return;
    variables_.insert("__state");
    for (const ir::SDFG *g : ir::allSDFGs(root_)) {
        for (const auto &[name, d] : g->arrays)
            variables_.insert(name.str());
        for (const auto &[name, type] : g->symbols)
            variables_.insert(name.str());
    }
}

std::string identifierOf(std::string_view label, const char *prefix) {
    std::string name;
    for (char c : label)
        name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
        name.insert(0, prefix);
    return name;
}

Name FunctionNames::take(std::string wanted, const char *suffix) {
    readVariables();
    if (!isFunctionName(wanted) || variables_.count(wanted))
        wanted += suffix;
    std::string name = wanted;
    while (variables_.count(name) || !taken_.insert(name).second)
        name = wanted + "_" + std::to_string(++copies_[wanted]);
    return Name(name);
}

} // namespace sdfgc::tree::lowering
