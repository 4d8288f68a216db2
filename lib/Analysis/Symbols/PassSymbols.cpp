#include "sdfgc/Analysis/Symbols/PassSymbols.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

void passSymbol(ir::NestedSDFGNode &n, Name inside, sym::Expr value, Type type) {
    n.sdfg->symbols.set(inside, type ? type : Type(ScalarKind::Int64));
    auto &all = n.symbolMapping;
    const auto at = std::lower_bound(all.begin(), all.end(), inside,
                                     [](const auto &mapped, Name name) { return mapped.first.view() < name.view(); });
    if (at != all.end() && at->first == inside)
        at->second = value;
    else
        all.insert(at, {inside, value});
}

void passRequiredSymbols(ir::NestedSDFGNode &n, const std::function<Type(Name)> &typeOf) {
    for (const Name symbol : requiredSymbols(*n.sdfg))
        if (!n.mapped(symbol))
            passSymbol(n, symbol, sym::Expr::symbol(symbol), typeOf(symbol));
}

} // namespace sdfgc::analysis
