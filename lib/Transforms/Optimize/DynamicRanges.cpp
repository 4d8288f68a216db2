#include "Transforms/Optimize/DynamicRanges.h"

#include "sdfgc/Nest/Rename.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The map, and the nodes in its scope, including its exit.
std::vector<Node *> nodesInScope(MapEntry &m, const ScopeTree &scopes) {
    std::vector<Node *> out{&m};
    for (Node *n : scopes.order())
        if (scopes.encloses(&m, n))
            out.push_back(n);
    if (Node *exit = scopes.exitOf(&m); exit && std::find(out.begin(), out.end(), exit) == out.end())
        out.push_back(exit);
    return out;
}

/// A scalar or an element as control flow writes it; empty for anything else.
std::string valueText(const Edge &e, const SDFG &g) {
    const auto *from = dyn_cast<AccessNode>(e.src);
    const DataDesc *d = from ? g.desc(from->data) : nullptr;
    if (!d || e.memlet.isEmpty() || e.memlet.data != from->data || e.memlet.otherSubset || !e.memlet.wcr.empty())
        return {};
    if (d->isScalar())
        return from->data.str();
    return e.memlet.subset && e.memlet.subset->isOneElement() ? from->data.str() + "[" + e.memlet.subset->str() + "]"
                                                              : std::string();
}

/// Does a scope give a name another meaning?
bool defines(const Node &n, Name name) {
    if (const auto *c = dyn_cast<ConsumeEntry>(&n); c && c->defines(name))
        return true;
    const auto *m = dyn_cast<MapEntry>(&n);
    return (m && std::count(m->params.begin(), m->params.end(), name)) ||
           (n.isEntry() &&
            std::any_of(n.inConnectors.begin(), n.inConnectors.end(), [name](const Connector &c) { return c.name == name; }));
}

std::set<Name> namesInRanges(const MapEntry &m) {
    std::set<Name> out;
    for (const sym::Range &r : m.ranges)
        out.merge(sym::Subset({r}).freeSymbols());
    return out;
}

} // namespace

std::vector<RangeRead> rangeReads(State &s) {
    std::vector<RangeRead> out;
    const SDFG &g = *s.sdfg();
    std::optional<ScopeTree> scopes;
    for (MapEntry *m : nodesOf<MapEntry>(s)) {
        std::set<Name> named = namesInRanges(*m);
        std::erase_if(named, [&](Name n) { return !g.desc(n) || !g.desc(n)->isScalar(); });
        if (named.empty() && !hasDynamicRange(*m))
            continue;
        if (!scopes)
            scopes.emplace(s);
        if (!scopes->valid() || scopes->scopeOf(m))
            continue;
        for (Edge *e : m->inEdges()) {
            if (!isDynamicRange(e->dstConn))
                continue;
            named.erase(e->dstConn);
            RangeRead r{m, e->dstConn, e, valueText(*e, g), nodesInScope(*m, *scopes)};
            const std::map<Name, sym::Expr> meaning{{r.name, sym::Expr::symbol(r.name)}};
            if (!r.text.empty() && std::all_of(r.in.begin(), r.in.end(), [&](const Node *n) {
                    return nest::canRename(*n, meaning) && (n == m || !defines(*n, r.name));
                }))
                out.push_back(std::move(r));
        }
        for (const Name n : named)
            out.push_back({m, n, nullptr, n.str(), {}});
    }
    return out;
}

void replaceRead(const RangeRead &r, Name symbol) {
    State &s = *r.map->state();
    const SDFG &g = *s.sdfg();
    const std::map<Name, sym::Expr> meaning{{r.name, sym::Expr::symbol(symbol)}};
    if (!r.edge) {
        for (sym::Range &range : r.map->ranges)
            range = range.substituted(meaning);
        return;
    }
    for (Node *n : r.in) {
        nest::renameSymbols(*n, g, meaning);
        for (Edge *e : n->outEdges())
            if (n != r.map->exit)
                nest::renameSymbols(e->memlet, meaning);
    }
    Node *from = r.edge->src;
    std::erase_if(r.map->inConnectors, [&](const Connector &c) { return c.name == r.name; });
    s.removeEdge(r.edge);
    if (from->inEdges().empty() && from->outEdges().empty())
        s.removeNode(from);
}

} // namespace sdfgc::transforms
