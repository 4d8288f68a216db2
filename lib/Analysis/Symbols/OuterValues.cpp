#include "Analysis/Symbols/OuterValues.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <set>

namespace sdfgc::analysis {

using namespace ir;

std::map<Name, sym::Expr> outerValues(const SDFG &g, const ScopeTree &scopes, const Node *scope, bool assigned) {
    const NestedSDFGNode *node = g.parentNode;
    if (!node)
        return {};
    const SDFG &outer = *node->state()->sdfg();
    const ScopeTree around(*node->state());
    const std::map<Name, sym::Expr> further = outerValues(outer, around, around.scopeOf(node), assigned);
    std::string mark;
    for (const SDFG *up = &g; up; up = up->parentSDFG())
        mark += '\'';
    std::set<Name> own;
    if (!assigned)
        for (const auto &[name, type] : definedSymbols(g))
            own.insert(name);
    std::map<Name, sym::Expr> values;
    for (const auto &[name, value] : node->symbolMapping) {
        const std::vector<Name> &names = value.freeSymbols();
        const bool reads = std::any_of(names.begin(), names.end(), [&](Name n) { return outer.desc(n) != nullptr; });
        if (reads || own.count(name) || definedByScope(scopes, scope, name))
            continue;
        std::map<Name, sym::Expr> marked = further;
        for (Name n : names)
            marked.try_emplace(n, sym::Expr::symbol(Name(n.str() + mark)));
        values.emplace(name, sym::substitute(value, marked));
    }
    return values;
}

} // namespace sdfgc::analysis
