// Function names that no variable shadows.
#include "FunctionNames.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/LabelName.h"
#include "sdfgc/Tree/NameScopes.h"

namespace sdfgc::tree::lowering {

void FunctionNames::readVariables() {
    if (!variables_.empty())
        return;
    variables_.insert("__state");
    for (const ir::SDFG *g : ir::allSDFGs(root_)) {
        for (const auto &[name, type] : analysis::structTypes(*g)) // at global scope, too
            variables_.insert(name.str());
        for (const auto &[name, d] : g->arrays)
            variables_.insert(name.str());
        for (const auto &[name, type] : g->symbols)
            variables_.insert(name.str());
    }
}

std::string identifierOf(std::string_view label, const char *prefix) { return ir::identifierOf(label, prefix); }

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
