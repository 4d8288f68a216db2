// Rules of nested SDFG nodes.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

namespace {

/// The container at the far end of an edge of a nested SDFG node; empty if the node there is not an access node.
Name containerBehind(const Edge &e, bool in) {
    const auto *access = dyn_cast<AccessNode>(in ? pathSource(&e) : pathDestination(&e));
    return access ? access->data : Name();
}

/// Are two arguments of a nested SDFG the same elements of one container, with the same layout? Front ends pass a slice that a call
/// updates as two arguments, one to read and one to write.
bool isSameMemory(const SDFG &g, Name read, Name written) {
    const DataDesc *a = g.arrays.find(read), *b = g.arrays.find(written);
    if (!a || !b || a->transient || b->transient || !g.parentNode || !(a->dtype == b->dtype) || !(a->shape == b->shape) ||
        !(a->strides == b->strides) || !(a->offset == b->offset))
        return false;
    const Edge *in = g.parentNode->inEdge(read), *out = g.parentNode->outEdge(written);
    if (!in || !out || !in->memlet.subset || !out->memlet.subset || !(*in->memlet.subset == *out->memlet.subset))
        return false;
    const Name from = containerBehind(*in, true), to = containerBehind(*out, false);
    if (!from || !to || in->memlet.data != from || out->memlet.data != to)
        return false;
    return from == to || isSameMemory(*g.parentSDFG(), from, to);
}

} // namespace

void Verifier::nested(const NestedSDFGNode &n, const StateFrame &sf) {
    if (!n.sdfg) {
        report(Id::MissingNestedSDFG, n);
        return;
    }
    nestedConnectors(n);
    for (const auto *edges : {&n.inEdges(), &n.outEdges()})
        for (const Edge *e : *edges)
            argumentType(*e, n);
    nestedInOut(n, sf);
    nestedSymbols(n);
    enter(n, sf);
}

/// Queues the nested SDFG of a node.
void Verifier::enter(const NestedSDFGNode &n, const StateFrame &sf) {
    Frame inner{*n.sdfg, sf.f.onDevice, sf.f.undecided};
    for (const Node *entry = sf.scopes.scopeOf(&n); entry; entry = sf.scopes.scopeOf(entry)) {
        auto *m = dyn_cast<MapEntry>(entry);
        Schedule s = m ? m->schedule : static_cast<const ConsumeEntry *>(entry)->schedule;
        inner.onDevice |= isGpuSchedule(s);
        inner.undecided |= s == Schedule::Default;
    }
    pending_.push_back(std::move(inner));
}

void Verifier::nestedConnectors(const NestedSDFGNode &n) {
    const SDFG &inner = *n.sdfg;
    std::unordered_set<Name> connectors;
    for (const auto *list : {&n.inConnectors, &n.outConnectors})
        for (const Connector &c : *list) {
            if (!connectors.insert(c.name).second)
                continue; // an in/out argument: reported once
            const DataDesc *d = inner.arrays.find(c.name);
            if (inner.symbols.contains(c.name))
                report(Id::ConnectorIsSymbol, n, c.name.str());
            else if (!d)
                report(Id::ConnectorWithoutContainer, n, c.name.str(), suggestion(c.name, containerNames(inner)));
            else if (d->transient)
                report(Id::TransientConnector, n, c.name.str());
        }
    for (const auto &[name, d] : inner.arrays)
        if (!d.transient && !connectors.count(name))
            report(Id::ArgumentWithoutConnector, n, name.str());
}

/// A scalar of another type is converted; if it is a result, each execution must produce one. Arrays with another element type are
/// invalid.
void Verifier::argumentType(const Edge &e, const NestedSDFGNode &n) {
    const bool isResult = e.src == &n;
    const Name argument = isResult ? e.srcConn : e.dstConn;
    const DataDesc *inner = argument ? n.sdfg->arrays.find(argument) : nullptr, *outer = inner ? outerContainer(e, n) : nullptr;
    if (!outer || !differ(inner->dtype, outer->dtype))
        return;
    const std::string here = inner->dtype.str(), there = outer->dtype.str(), data = e.memlet.data.str();
    if (!isConverted(e, n))
        report(Id::ArgumentType, e, "argument `" + argument.str() + "` of the nested SDFG", here, data, there);
    else if (isResult && !e.memlet.wcr.empty())
        report(Id::ConvertedResult, e, argument.str(), here, data, there, "the memlet resolves conflicts");
    else if (isResult && !alwaysWrites(*n.sdfg, argument))
        report(Id::ConvertedResult, e, argument.str(), here, data, there, "some executions may not write it");
}

void Verifier::nestedInOut(const NestedSDFGNode &n, const StateFrame &sf) {
    auto dataAt = [](const Node *end) {
        auto *access = dyn_cast<AccessNode>(end);
        return access ? access->data : Name();
    };
    const SDFG &g = sf.f.g;
    std::unordered_map<Name, std::set<Name>> written; // by connector
    for (const Edge *e : n.outEdges())
        if (Name data = dataAt(sf.ends.destination(e)))
            written[e->srcConn].insert(data);
    for (const Edge *e : n.inEdges()) {
        auto it = e->dstConn ? written.find(e->dstConn) : written.end(); // an ordering edge has no connector
        Name data = dataAt(sf.ends.source(e));
        if (it == written.end() || !data || it->second.count(data))
            continue;
        if (std::all_of(it->second.begin(), it->second.end(), [&](Name o) { return isSameMemory(g, data, o); }))
            continue;
        std::string outputs;
        for (Name o : it->second)
            outputs += (outputs.empty() ? "`" : ", `") + o.str() + "`";
        report(Id::InOutMismatch, n, e->dstConn.str(), data.str(), outputs);
    }
}

void Verifier::nestedSymbols(const NestedSDFGNode &n) {
    std::unordered_set<Name> given;
    for (const auto &[name, value] : n.symbolMapping) {
        given.insert(name);
        if (value.isUndefined())
            report(Id::UndefinedMapping, n, name.str());
    }
    const std::unordered_set<Name> &required = required_.of(*n.sdfg);
    std::set<Name> missing;
    for (Name s : required)
        if (!given.count(s) && !n.inConnector(s) && !n.outConnector(s) && !n.sdfg->constant(s))
            missing.insert(s);
    for (Name s : missing)
        report(Id::UnmappedSymbol, n, s.str());
    if (!warns())
        return;
    std::string unused;
    for (const auto &[name, value] : n.symbolMapping)
        if (!required.count(name))
            unused += (unused.empty() ? "" : ", ") + name.str();
    if (!unused.empty())
        report(Id::UnusedMapping, n, unused);
}

} // namespace sdfgc::analysis
