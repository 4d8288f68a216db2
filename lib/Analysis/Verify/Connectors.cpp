// Rules of connectors.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/IR/ScopeConnectors.h"

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

void Verifier::connectors(const Node &n, const SDFG &g) {
    connectorNames(n, g);
    connectorEdges(n, true);
    connectorEdges(n, false);
    if (n.isEntry() || n.isExit())
        connectorPairs(n);
}

void Verifier::connectorNames(const Node &n, const SDFG &g) {
    const bool named = n.kind() == NodeKind::Tasklet || n.kind() == NodeKind::NestedSDFG;
    const bool separate = n.kind() != NodeKind::NestedSDFG && n.kind() != NodeKind::Library;
    std::unordered_set<Name> inputs;
    for (const auto *list : {&n.inConnectors, &n.outConnectors})
        for (const Connector &c : *list) {
            if (named && !isName(c.name.view()))
                report(Id::NotAnIdentifier, n, "connector", c.name.str());
            if (!separate)
                continue;
            if (list == &n.inConnectors)
                inputs.insert(c.name);
            else if (inputs.count(c.name))
                report(Id::ConnectorInAndOut, n, c.name.str());
            if (n.isEntry()) // dynamic ranges may be called like a symbol
                continue;
            // Type inference declares what loops and edges define; files need not, and there a connector may have such a name.
            const bool isSymbol = !atLeast(Level::Typed) && g.symbols.contains(c.name);
            const char *taken = g.arrays.contains(c.name)      ? "container"
                                : isSymbol                     ? "symbol"
                                : g.constants.contains(c.name) ? "constant"
                                                               : nullptr;
            if (taken)
                report(Id::ConnectorShadows, n, c.name.str(), taken);
        }
}

void Verifier::connectorEdges(const Node &n, bool in) {
    const char *side = in ? "in" : "out";
    std::unordered_map<Name, std::size_t> edges;
    for (const Edge *e : in ? n.inEdges() : n.outEdges())
        if (Name conn = in ? e->dstConn : e->srcConn)
            ++edges[conn];
    const bool many = in ? n.isExit() : !n.isExit() && !n.isCode();
    const bool typed = atLeast(Level::Typed) && (n.isCode() || (in && n.isEntry()));
    for (const Connector &c : in ? n.inConnectors : n.outConnectors) {
        auto it = edges.find(c.name);
        if (it == edges.end()) {
            if (!in || n.kind() != NodeKind::Library) // inputs of library nodes may be optional
                report(Id::DanglingConnector, n, side, c.name.str());
            continue;
        }
        if (it->second > 1 && !many)
            report(Id::SharedConnector, n, it->second, side, c.name.str());
        if (typed && !c.type && (n.isCode() || !pairedConnector(c.name)))
            report(Id::UntypedConnector, n, side, c.name.str());
        edges.erase(it);
    }
    std::set<Name> missing;
    for (const auto &[conn, count] : edges)
        missing.insert(conn);
    for (Name conn : missing)
        report(Id::MissingConnector, n, side, conn.str());
}

void Verifier::connectorPairs(const Node &n) {
    std::unordered_set<Name> ins, outs;
    for (const Connector &c : n.inConnectors)
        ins.insert(c.name);
    for (const Connector &c : n.outConnectors)
        outs.insert(c.name);
    auto check = [&](const Connector &c, bool isNamed, Name otherwise, const std::unordered_set<Name> &others) {
        const Name other = isNamed ? pairedConnector(c.name) : otherwise;
        if (!isNamed || !others.count(other))
            report(Id::ConnectorWithoutPair, n, c.name.str(), other.str());
    };
    for (const Connector &c : n.inConnectors)
        if (n.isExit() || isScopeInput(c.name)) // of an entry, others are ends of ranges
            check(c, isScopeInput(c.name), scopeOutput(c.name), outs);
    for (const Connector &c : n.outConnectors)
        check(c, isScopeOutput(c.name), scopeInput(c.name), ins);
}

} // namespace sdfgc::analysis
