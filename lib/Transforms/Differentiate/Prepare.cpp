// What a program is made ready with: names for what has none, which the nest form needs.
#include "Transforms/Differentiate/Program.h"

#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Ast.h"

#include "Transforms/Offload/HostReads.h"

namespace sdfgc::transforms::gradient {

using namespace ir;

namespace {

/// Containers that some node writes.
std::set<Name> writtenIn(const SDFG &g) {
    std::set<Name> out;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && !a->inEdges().empty())
                out.insert(a->data);
    return out;
}

} // namespace

void nameBounds(SDFG &g) {
    const std::set<Name> written = writtenIn(g);
    std::map<Name, py::ExprRef> names;
    std::vector<std::pair<Name, std::string>> values;
    std::vector<LoopRegion *> loops;
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            loops.push_back(l);
    for (const LoopRegion *l : loops)
        for (const Name n : analysis::containersRead(*l, g)) {
            const DataDesc &d = *g.desc(n);
            if (!d.isScalar() || d.transient || !d.dtype.isInteger() || written.count(n) || names.count(n))
                continue;
            const Name symbol = g.freshName(n.str() + "_value");
            g.symbols[symbol] = d.dtype;
            names.emplace(n, py::name(symbol));
            values.emplace_back(symbol, n.str());
        }
    if (names.empty())
        return;
    for (LoopRegion *l : loops)
        for (std::optional<Code> *c : {&l->init, &l->condition, &l->update})
            if (*c && (*c)->language == Language::Python)
                (*c)->text = py::print(py::substitute(py::parseBlockOrRaw((*c)->text), names));
    Block *start = g.start();
    State *s = g.addStateBefore(start, g.freshLabel("sizes"));
    for (InterstateEdge *e : g.outEdges(s))
        e->assignments = values;
}

void nameSubsets(SDFG &g) {
    const sym::Assumptions facts = analysis::factsOf(g);
    for (State *s : allStates(g))
        for (const auto &e : s->edges()) {
            const auto *from = dyn_cast<AccessNode>(e->src), *to = dyn_cast<AccessNode>(e->dst);
            Memlet &m = e->memlet;
            if (!from || !to || m.isEmpty() || m.otherSubset || !analysis::isTransfer(*e))
                continue;
            const bool namesSource = dataIsSource(e.get());
            const DataDesc *named = g.desc(m.data), *other = g.desc(namesSource ? to->data : from->data);
            if (!nest::isPlain(named) || !nest::isPlain(other))
                continue;
            const sym::Subset missing = analysis::missingSubset(m.subset.value_or(named->fullSubset()), other->fullSubset(), facts);
            if (missing.rank() == other->rank())
                m.otherSubset = missing;
        }
}

namespace {

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

} // namespace

void nameValues(SDFG &g) {
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
        if (!edges.empty())
            s->renumber();
    }
}

namespace {

/// Are edges of the same elements, and the arguments at their ends declared alike?
bool meanTheSame(const Edge &in, const Edge &out, const SDFG &inner) {
    const DataDesc *a = inner.desc(in.dstConn), *b = inner.desc(out.srcConn);
    return a && b && nest::isPlain(a) && nest::isPlain(b) && a->dtype == b->dtype && a->shape == b->shape &&
           a->strides == b->strides && in.memlet.data == out.memlet.data && in.memlet.subset &&
           in.memlet.subset == out.memlet.subset && out.memlet.wcr.empty();
}

/// All code that decides where the control flow of an SDFG goes, and what it assigns.
std::vector<std::string *> codeOfFlow(SDFG &g) {
    std::vector<std::string *> out;
    for (Region *r : allRegions(g)) {
        if (auto *l = dyn_cast<LoopRegion>(r))
            for (std::optional<Code> *c : {&l->init, &l->condition, &l->update})
                if (*c)
                    out.push_back(&(*c)->text);
        for (const auto &b : r->blocks())
            if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
                for (auto &branch : c->branches())
                    if (branch.condition)
                        out.push_back(&branch.condition->text);
        for (const auto &e : r->edges()) {
            out.push_back(&e->condition.text);
            for (auto &[symbol, value] : e->assignments)
                out.push_back(&value);
        }
    }
    return out;
}

void renameInFlow(SDFG &g, Name from, Name to) {
    for (std::string *text : codeOfFlow(g))
        if (const auto parsed = py::parseBlock(*text); parsed.value && text->find(from.str()) != std::string::npos)
            *text = py::print(py::substitute(*parsed.value, {{from, py::name(to)}}));
}

} // namespace

void joinArguments(SDFG &g) {
    for (State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            auto *nested = dyn_cast<NestedSDFGNode>(n.get());
            if (!nested || !nested->sdfg)
                continue;
            SDFG &inner = *nested->sdfg;
            const std::set<Name> inFlow = analysis::containersReadByControlFlow(inner);
            for (const Edge *out : nested->outEdges())
                for (const Edge *in : nested->inEdges()) {
                    const Name from = in->dstConn, to = out->srcConn;
                    if (from == to || nested->outConnector(from) || nested->inConnector(to) || !meanTheSame(*in, *out, inner))
                        continue;
                    if (inFlow.count(from))
                        renameInFlow(inner, from, to);
                    renameDataflow(inner, from, to);
                    inner.arrays.erase(from);
                    break;
                }
        }
}

} // namespace sdfgc::transforms::gradient
