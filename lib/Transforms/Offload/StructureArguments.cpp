#include "Transforms/Offload/StructureArguments.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/IR/ScopeConnectors.h"

namespace sdfgc::transforms {

using namespace ir;

namespace {

Type typeOf(const DataDesc &d) { return d.isScalar() ? d.dtype : Type::pointer(d.dtype); }

/// Removes the path of an edge at a nested SDFG, as far as no other path shares it.
void dropPath(State &s, Edge *leaf, bool in) {
    for (Edge *e = leaf; e;) {
        Node *from = e->src, *to = e->dst, *scope = in ? from : to;
        const Name connector = in ? e->srcConn : e->dstConn;
        s.removeEdge(e);
        if (in && !isa<AccessNode>(from) && to->inEdges().empty())
            tie(s, from, to);
        if (!in && !isa<AccessNode>(to) && from->outEdges().empty())
            tie(s, from, to);
        e = nullptr;
        if (!connector || isa<AccessNode>(scope) || (in ? scope->outEdge(connector) : scope->inEdge(connector)))
            continue;
        const Name paired = pairedConnector(connector);
        e = in ? scope->inEdge(paired) : scope->outEdge(paired);
        if (in) {
            scope->removeOut(connector);
            scope->removeIn(paired);
        } else {
            scope->removeIn(connector);
            scope->removeOut(paired);
        }
    }
}

} // namespace

void passIn(NestedSDFGNode &n, Edge &structure, Name inner, AccessNode &outer) {
    State &s = *n.state();
    const DataDesc &d = *s.sdfg()->arrays.find(outer.data);
    const Type type = typeOf(*n.sdfg->arrays.find(inner));
    Node *from = &outer;
    Name connector;
    for (Edge *e : memletPath(&structure)) {
        Memlet m = Memlet::simple(outer.data, d.fullSubset());
        m.volume = e->memlet.volume;
        m.dynamic = e->memlet.dynamic;
        if (e->dst == &n) {
            s.connect(from, connector, &n, inner, m);
            n.addIn(inner, type);
            return;
        }
        const Name into = scopeInput(outer.data), next = scopeOutput(outer.data);
        if (!e->dst->inEdge(into)) { // otherwise another nested SDFG has the way
            s.connect(from, connector, e->dst, into, m);
            e->dst->addIn(into, typeOf(d));
            e->dst->addOut(next, typeOf(d));
        }
        from = e->dst;
        connector = next;
    }
}

void passOut(NestedSDFGNode &n, Edge &structure, Name inner, AccessNode &outer) {
    State &s = *n.state();
    const DataDesc &d = *s.sdfg()->arrays.find(outer.data);
    const Type type = typeOf(*n.sdfg->arrays.find(inner));
    Node *from = &n;
    Name connector = inner;
    n.addOut(inner, type);
    const std::vector<Edge *> path = memletPath(&structure);
    for (const Edge *e : path) {
        Memlet m = Memlet::simple(outer.data, d.fullSubset());
        m.volume = e->memlet.volume;
        m.dynamic = e->memlet.dynamic;
        if (e == path.back()) {
            s.connect(from, connector, &outer, {}, m);
            return;
        }
        std::string suffix = outer.data.str();
        for (int i = 0; e->dst->inConnector(scopeInput(suffix)); ++i)
            suffix = outer.data.str() + "_" + std::to_string(i);
        s.connect(from, connector, e->dst, scopeInput(suffix), m);
        e->dst->addIn(scopeInput(suffix), typeOf(d));
        e->dst->addOut(scopeOutput(suffix), typeOf(d));
        from = e->dst;
        connector = scopeOutput(suffix);
    }
}

void dropStructures(NestedSDFGNode &n) {
    std::vector<Name> structures;
    for (const auto &[name, d] : n.sdfg->arrays)
        if (d.isStructure() && !d.transient)
            structures.push_back(name);
    if (structures.empty())
        return;
    const analysis::Mentions mentions(*n.sdfg);
    for (Name name : structures) {
        if (mentions.contain(name))
            continue;
        if (Edge *e = n.inEdge(name))
            dropPath(*n.state(), e, true);
        if (Edge *e = n.outEdge(name))
            dropPath(*n.state(), e, false);
        n.removeIn(name);
        n.removeOut(name);
        n.sdfg->arrays.erase(name);
    }
}

} // namespace sdfgc::transforms
