#include "sdfgc/Analysis/Device/BlockSizes.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {
namespace {

using namespace ir;

/// The sizes of a map in terms of the symbols of the SDFG that the outward walk has reached.
class Sizes {
public:
    explicit Sizes(const MapEntry &m) {
        for (const sym::Range &r : m.ranges)
            sizes_.push_back(boundOfSize(r.steps()));
    }
    bool dependOn(Name n) const {
        return std::any_of(sizes_.begin(), sizes_.end(), [n](const sym::Expr &e) { return e.dependsOn(n); });
    }
    void leave(const NestedSDFGNode &nested) {
        std::map<Name, sym::Expr> values(nested.symbolMapping.begin(), nested.symbolMapping.end());
        for (sym::Expr &e : sizes_)
            e = boundOfSize(sym::substitute(e, values));
    }

private:
    std::vector<sym::Expr> sizes_;
};

} // namespace

sym::Expr boundOfSize(sym::Expr size) {
    size = sym::overApproximation(size);
    if (size.asInt())
        return size;
    auto minimum = [](sym::Expr e) { return e.kind() == sym::SymbolicKind::Min; };
    auto operands = size.operands();
    if (minimum(size)) {
        for (sym::Expr a : operands)
            if (sym::Expr bound = boundOfSize(a); bound.asInt())
                return bound;
    } else if (size.kind() == sym::SymbolicKind::Add) {
        auto it = std::find_if(operands.begin(), operands.end(), minimum);
        if (it != operands.end())
            for (sym::Expr a : it->operands())
                if (sym::Expr bound = boundOfSize(size - *it + a); bound.asInt())
                    return bound;
    }
    return size;
}

Name unknownAtLaunch(const MapEntry &m) {
    Sizes sizes(m);
    Name unknown;
    for (const Node *n = &m; n;) {
        const SDFG &g = *n->state()->sdfg();
        for (const Node *around : ScopeTree(*n->state()).enclosing(n)) {
            const auto *map = dyn_cast<MapEntry>(around);
            for (const Name p : map ? map->params : std::vector<Name>{})
                if (!unknown && sizes.dependOn(p))
                    unknown = p;
            if (map && isKernelSchedule(map->schedule))
                return unknown;
        }
        for (const auto &[symbol, type] : definedSymbols(g))
            if (!unknown && sizes.dependOn(symbol))
                unknown = symbol;
        n = g.parentNode;
        if (n)
            sizes.leave(*g.parentNode);
    }
    return {};
}

bool reducesInBlocks(const MapEntry &kernel) {
    const std::vector<Edge *> &out = kernel.exit->outEdges();
    return std::any_of(out.begin(), out.end(),
                       [](const Edge *e) { return !e->memlet.wcr.empty() && e->memlet.wcrMode == WcrMode::Reduction; });
}

} // namespace sdfgc::analysis
