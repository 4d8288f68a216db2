// name-accesses: name ranges of maps, subsets of memlets and values between tasklets.
//
//     K[i] -> n, map m[j = 0:n] { ... }              n = K[i]; map m[j = 0:n] { ... }                   1. ranges
//     A -> B                                 ->      A[0:N] -> B[0:N]                                   2. subsets
//     a: t = f(x); t -> b: y = g(t)                  a: t = f(x); t -> t_value -> b: y = g(t)           3. values
//
// The nest form (sdfgc/Nest/Nest.h) only reads maps whose ranges are expressions, and needs the elements of each access. A
// number passed from one tasklet to another gets a scalar, which can have a gradient.
//
// Legal when:
//   1. The map is not inside another one, its range is one integer element of an array, and nothing in the state writes
//      the array. An edge before the state assigns the symbol, which has the name of the connector.
//   2. Always: a memlet without subset accesses all elements, and the other side of a copy follows from the first one
//      (analysis::missingSubset).
//   3. Both connectors have the same scalar type. default-schedules decides the storage of the scalar.
//
// Not handled: ranges of inner maps, and connectors whose name has another meaning.
#include "Transforms/Normalise/Normalise.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The element that an edge hands to the entry of a scope, as code reads it; empty if something in the state may write it before.
std::string elementAtEntry(const Edge &e, const State &s) {
    const SDFG &g = *s.sdfg();
    const auto *from = dyn_cast<AccessNode>(e.src);
    const DataDesc *d = from ? g.desc(from->data) : nullptr;
    const auto subset = from ? sourceSubset(&e) : std::nullopt;
    if (!analysis::isPlain(d) || !d->dtype.isInteger() || !subset || !subset->isOneElement())
        return {};
    for (const AccessNode *a : nodesOf<AccessNode>(s))
        if (!a->inEdges().empty() && (a->data == from->data || g.desc(a->data)->isView()))
            return {};
    std::string at;
    for (const sym::Range &r : subset->dims)
        at += (at.empty() ? "" : ", ") + r.begin.str();
    return from->data.str() + (d->isScalar() ? "" : "[" + at + "]");
}

/// Can a connector become a symbol with the same name? Only if nothing else has the name, except symbols created for
/// other states.
bool becomesSymbol(Name connector, Type t, const State &s, SDFG &g, std::map<Name, const State *> &made) {
    if (const auto known = made.find(connector); known != made.end())
        return known->second != &s && g.symbols[connector] == t && (known->second = &s);
    if (g.freshName(connector.view()) != connector)
        return false;
    g.symbols[connector] = t;
    made.emplace(connector, &s);
    return true;
}

/// Makes the ranges of top-level maps symbols that preceding edges assign, instead of elements that the map entries read.
bool nameRanges(SDFG &g) {
    bool changed = false;
    std::map<Name, const State *> made;
    for (State *s : allStates(g)) {
        std::vector<std::pair<Name, std::string>> values;
        const ScopeTree scopes(*s);
        std::vector<Edge *> read;
        for (const auto &e : s->edges())
            if (isa<MapEntry>(e->dst) && !scopes.scopeOf(e->dst) && e->dstConn && !isScopeInput(e->dstConn))
                read.push_back(e.get());
        for (Edge *e : read) {
            const std::string value = elementAtEntry(*e, *s);
            if (value.empty() || !becomesSymbol(e->dstConn, g.desc(cast<AccessNode>(e->src)->data)->dtype, *s, g, made))
                continue;
            values.emplace_back(e->dstConn, value);
            std::erase_if(e->dst->inConnectors, [e](const Connector &c) { return c.name == e->dstConn; });
            Node *from = e->src;
            s->removeEdge(e);
            if (from->inEdges().empty() && from->outEdges().empty())
                s->removeNode(from);
        }
        if (values.empty())
            continue;
        changed = true;
        s->renumber();
        for (InterstateEdge *e : s->parent()->addStateBefore(s, g.freshLabel("ranges"))->outEdges())
            e->assignments = values;
    }
    return changed;
}

/// Makes memlets of arrays, or of views of them, specify the elements that they access; for copies, on both sides.
bool nameSubsets(SDFG &g) {
    bool changed = false;
    const sym::Assumptions facts = analysis::factsOf(g);
    const auto isArray = [](const DataDesc *d) {
        return analysis::isPlain(d) || (d && d->isView() && (d->isArray() || d->isScalar()));
    };
    for (State *s : allStates(g))
        for (const auto &e : s->edges()) {
            Memlet &m = e->memlet;
            if (!m.isEmpty() && !m.subset && isArray(g.desc(m.data))) {
                m.subset = g.desc(m.data)->fullSubset();
                changed = true;
            }
            if (m.otherSubset || !analysis::isTransfer(*e))
                continue;
            const auto *from = cast<AccessNode>(pathSource(e.get())), *to = cast<AccessNode>(pathDestination(e.get()));
            const bool namesSource = dataIsSource(e.get());
            const DataDesc *named = g.desc(m.data), *other = g.desc(namesSource ? to->data : from->data);
            if (!isArray(named) || !isArray(other))
                continue;
            const sym::Subset missing = analysis::missingSubset(m.subset.value_or(named->fullSubset()), other->fullSubset(), facts);
            if (missing.rank() != other->rank())
                continue;
            m.otherSubset = missing;
            changed = true;
        }
    return changed;
}

/// Does an edge hand one number from a code node to another one in the same scope?
bool handsNumber(const Edge &e) {
    if (!e.src->isCode() || !e.dst->isCode() || e.srcConn.empty() || e.dstConn.empty())
        return false;
    const auto typeAt = [](const Node &n, Name connector, bool out) {
        const Connector *c = out ? n.outConnector(connector) : n.inConnector(connector);
        return c ? c->type : Type();
    };
    const Type from = typeAt(*e.src, e.srcConn, true), to = typeAt(*e.dst, e.dstConn, false);
    return from.isScalar() && !from.isPointer() && !from.isVector() && from == to;
}

/// Introduces a scalar for each value that one tasklet passes to the next without a container, so that it can have a gradient.
bool nameValues(SDFG &g) {
    bool changed = false;
    for (State *s : allStates(g)) {
        std::vector<Edge *> edges;
        for (const auto &e : s->edges())
            if (handsNumber(*e))
                edges.push_back(e.get());
        for (Edge *e : edges) {
            const Name name =
                g.addTransient(e->srcConn.str() + "_value", DataDesc::scalar(e->src->outConnector(e->srcConn)->type, true));
            auto *value = s->add<AccessNode>(name);
            const Memlet m = Memlet::simple(name, g.desc(name)->fullSubset());
            s->connect(e->src, e->srcConn, value, {}, m);
            s->connect(value, {}, e->dst, e->dstConn, m);
            s->removeEdge(e);
        }
        if (edges.empty())
            continue;
        changed = true;
        s->renumber();
    }
    return changed;
}

bool nameAccesses(SDFG &g) {
    const bool ranges = nameRanges(g), subsets = nameSubsets(g), values = nameValues(g);
    return ranges || subsets || values;
}

} // namespace

std::unique_ptr<pass::Pass> createNameAccesses() { return std::make_unique<ForEachSdfg>(nameAccesses); }

} // namespace sdfgc::transforms
