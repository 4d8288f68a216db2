// Adapts what a nested SDFG assumes about its arguments: the number of elements and their layout.
//
//     nested f: C <- A[0:N, 1]   { C: float64[N] (strides = [N]) }        A is overwritten afterwards, so that its gradient needs
//     nested f_reversed: C <- tape_A[0:N, 0]   { strides = [1] }          the column from a tape, which has no columns beside it
#include "Transforms/Differentiate/Arguments.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <optional>

namespace sdfgc::transforms::gradient {

using namespace ir;

namespace {

/// An expression of the outer graph in terms of the nested SDFG: by symbols with the same value, or by an added one.
sym::Expr inTermsOf(NestedSDFGNode &n, sym::Expr outer) {
    std::map<Name, sym::Expr> meaning;
    for (const auto &[inner, value] : n.symbolMapping)
        if (value.isSymbol())
            meaning.emplace(value.name(), sym::Expr::symbol(inner));
    const auto names = outer.freeSymbols();
    if (std::all_of(names.begin(), names.end(), [&](Name x) { return meaning.count(x) != 0; }))
        return sym::substitute(outer, meaning);
    for (const auto &[inner, value] : n.symbolMapping)
        if (value == outer)
            return sym::Expr::symbol(inner);
    const Name symbol = n.sdfg->freshName("size");
    n.sdfg->symbols.set(symbol, Type(ScalarKind::Int64));
    n.symbolMapping.emplace_back(symbol, outer);
    std::sort(n.symbolMapping.begin(), n.symbolMapping.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    return sym::Expr::symbol(symbol);
}

/// Is each element directly after the previous one?
bool isDense(const std::vector<sym::Expr> &sizes, const std::vector<sym::Expr> &strides) {
    sym::Expr expected = 1;
    for (std::size_t k = sizes.size(); k-- > 0;) {
        if (!sizes[k].isOne() && !(strides[k] == expected))
            return false;
        expected *= sizes[k];
    }
    return true;
}

/// For each dimension of an argument, returns the matching dimension of the given elements, by size and stride in terms
/// of the outer graph; none for dimensions of size one. Returns nothing if it is unknown.
std::optional<std::vector<std::optional<std::size_t>>> dimensionsOf(const DataDesc &d, const std::map<Name, sym::Expr> &meaning,
                                                                    const std::vector<sym::Expr> &sizes,
                                                                    const std::vector<sym::Expr> &strides) {
    std::vector<std::optional<std::size_t>> out;
    std::vector<bool> taken(sizes.size());
    for (std::size_t k = 0; k < d.rank(); ++k) {
        out.emplace_back();
        if (d.shape[k].isOne())
            continue;
        const sym::Expr size = sym::substitute(d.shape[k], meaning), stride = sym::substitute(d.strides[k], meaning);
        std::size_t of = 0;
        while (of < sizes.size() && (taken[of] || !(sizes[of] == size && strides[of] == stride)))
            ++of;
        if (of == sizes.size())
            return std::nullopt;
        taken[of] = true;
        out.back() = of;
    }
    return out;
}

/// Other uses of a container's memory in an SDFG.
struct Uses {
    struct Argument {
        NestedSDFGNode *of;
        Name name;
        const sym::Subset *given;
    };
    std::vector<Argument> nested; // without duplicates
    bool views = false;

    Uses(SDFG &g, Name container) {
        for (State *s : allStates(g))
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                if (a->data == container) {
                    for (const Edge *e : a->outEdges())
                        use(memletPath(e).back(), &Edge::dst, &Edge::dstConn);
                    for (const Edge *e : a->inEdges())
                        use(memletPath(e).front(), &Edge::src, &Edge::srcConn);
                }
    }
    void use(const Edge *e, Node *Edge::*end, Name Edge::*connector) {
        auto *n = dyn_cast<NestedSDFGNode>(e->*end);
        const bool known =
            std::any_of(nested.begin(), nested.end(), [&](const Argument &a) { return a.of == n && a.name == e->*connector; });
        if (n && n->sdfg && e->memlet.subset && !known)
            nested.push_back({n, e->*connector, &*e->memlet.subset});
        const auto *other = dyn_cast<AccessNode>(e->*end);
        const DataDesc *d = other ? other->state()->sdfg()->desc(other->data) : nullptr;
        views = views || (d && d->isView());
    }
};

} // namespace

void holdAll(DataDesc &d) {
    if (!d.isArray() || isDense(d.shape, d.strides))
        return;
    d.totalSize = 1;
    for (std::size_t k = 0; k < d.rank(); ++k)
        d.totalSize += (d.shape[k] - 1) * d.strides[k];
}

std::vector<sym::Expr> Elements::strides() const {
    std::vector<sym::Expr> out;
    for (std::size_t k = 0; k < subset.rank(); ++k)
        out.push_back(container.strides[k] * subset.dims[k].step);
    return out;
}

void narrowArgument(NestedSDFGNode &n, Name argument, const Elements &given) {
    DataDesc &d = *n.sdfg->desc(argument);
    const std::vector<sym::Expr> sizes = given.subset.sizes(), strides = given.strides();
    const std::map<Name, sym::Expr> meaning(n.symbolMapping.begin(), n.symbolMapping.end());
    if (!d.isArray() || d.rank() != sizes.size())
        return;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        if (!d.shape[k].isOne() && !(sym::substitute(d.strides[k], meaning) == strides[k]))
            return;
    bool changed = false;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (sym::substitute(d.shape[k], meaning) == sizes[k])
            continue;
        d.shape[k] = inTermsOf(n, sizes[k]);
        changed = true;
    }
    if (changed)
        holdAll(d);
}

std::string moveArgument(NestedSDFGNode &n, Name argument, const Elements &had, const Elements &has) {
    const std::vector<sym::Expr> sizes = had.subset.sizes(), before = had.strides();
    std::vector<sym::Expr> now = has.strides();
    now.erase(now.begin(), now.end() - static_cast<std::ptrdiff_t>(sizes.size())); // drops dimensions of iterations
    bool same = true;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        same = same && (sizes[k].isOne() || before[k] == now[k]);
    DataDesc &d = *n.sdfg->desc(argument);
    if (same || !d.isArray() || (isDense(sizes, before) && isDense(sizes, now)))
        return "";
    const std::map<Name, sym::Expr> meaning(n.symbolMapping.begin(), n.symbolMapping.end());
    const auto dimensions = dimensionsOf(d, meaning, sizes, before);
    if (!dimensions)
        return "a nested SDFG declares different dimensions for it";
    const Uses uses(*n.sdfg, argument);
    if (uses.views)
        return "a nested SDFG has a view of it";
    const DataDesc was = d;
    for (std::size_t k = 0; k < d.rank(); ++k)
        if (const auto from = (*dimensions)[k])
            d.strides[k] = inTermsOf(n, now[*from]);
    holdAll(d);
    for (const Uses::Argument &a : uses.nested)
        if (std::string why = moveArgument(*a.of, a.name, {was, *a.given}, {d, *a.given}); !why.empty())
            return why;
    return "";
}

} // namespace sdfgc::transforms::gradient
