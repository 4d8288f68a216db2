// Prepares a program for the nest form: gives names to values that have none.
#include "Transforms/Differentiate/Outline.h"
#include "Transforms/Differentiate/Program.h"
#include "Transforms/Edits/HostReads.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Flow/TripCount.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace sdfgc::transforms::gradient {

using namespace ir;

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
    for (InterstateEdge *e : s->outEdges())
        e->assignments = values;
}

namespace {

/// Is an expression of symbols that nothing in a loop changes? Its variable does.
bool isFixedIn(sym::Expr e, LoopRegion &l) {
    const std::set<Name> assigned = analysis::assignedIn(l);
    const auto &names = e.freeSymbols();
    return std::none_of(names.begin(), names.end(), [&](Name n) { return assigned.count(n) || l.sdfg()->desc(n); });
}

/// `K[i]`, if it is an integer; `at`: where it is read.
std::optional<NamedElement> namedElement(const py::Expr &e, const Block &at) {
    if (e.kind != py::ExprKind::Subscript || e.args[0]->kind != py::ExprKind::Name)
        return std::nullopt;
    NamedElement out{e.args[0]->name, {}, &at};
    const DataDesc *d = at.sdfg()->desc(out.container);
    if (!d || !analysis::isPlain(d) || !d->dtype.isInteger() || e.args.size() != d->rank() + 1)
        return std::nullopt;
    for (std::size_t k = 1; k < e.args.size(); ++k) {
        const auto index = sym::parse(py::print(*e.args[k])).expr;
        if (!index)
            return std::nullopt;
        out.index.push_back(*index);
    }
    return out;
}

/// The same in the header of a loop, where it has one value in all iterations.
std::optional<NamedElement> fixedElement(const py::Expr &e, LoopRegion &l, const std::function<bool(Name)> &isWritten) {
    auto out = namedElement(e, l);
    const bool fixed = out && !isWritten(out->container) &&
                       std::all_of(out->index.begin(), out->index.end(), [&l](sym::Expr index) { return isFixedIn(index, l); });
    return fixed ? out : std::nullopt;
}

/// Adds symbols that one edge of all sets to an element.
void addAssigned(const SDFG &g, std::map<Name, NamedElement> &out) {
    std::map<Name, std::pair<const InterstateEdge *, std::string>> once;
    std::set<Name> seen;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments) {
            if (seen.insert(symbol).second)
                once[symbol] = {e, value};
            else
                once.erase(symbol);
        }
    for (const auto &[symbol, from] : once)
        if (const auto value = py::parseExpr(from.second); value.value)
            if (const auto element = namedElement(**value.value, *from.first->dst))
                out.emplace(symbol, *element);
}

/// Is a loop's header `i = first; i REL end`, of which both are evaluated whenever the loop is reached?
bool hasPlainHeader(const LoopRegion &l) {
    const analysis::Progression p = analysis::progressionOf(l);
    return !l.inverted && p.why == analysis::Uncounted::No && p.whole && p.tests.size() == 1;
}

/// What the blocks of an SDFG write, in their order.
class Writers {
public:
    explicit Writers(SDFG &g) {
        const std::vector<Block *> chain = analysis::sequenceOf(g);
        for (std::size_t k = 0; k < chain.size(); ++k) {
            positions_.emplace(chain[k], k);
            for (const Name n : writtenIn(*chain[k]))
                last_[n] = k;
        }
        if (chain.empty())
            for (const Name n : writtenIn(g))
                last_[n] = 0;
    }

    /// Does a block of the SDFG, or one after it, write the container? All may come after it if they are no sequence.
    bool writeFrom(const Block *block, Name container) const {
        const auto at = positions_.find(block);
        const auto last = last_.find(container);
        return last != last_.end() && (at == positions_.end() || last->second >= at->second);
    }

private:
    std::unordered_map<const Block *, std::size_t> positions_; // none if they are no sequence
    std::unordered_map<Name, std::size_t> last_;
};

} // namespace

std::map<Name, NamedElement> nameElements(SDFG &g) {
    std::map<Name, NamedElement> out;
    const Writers writers(g);
    for (Region *r : allRegions(g)) {
        auto *l = dyn_cast<LoopRegion>(r);
        if (!l || nest::isKept(*l) || !hasPlainHeader(*l))
            continue;
        const std::set<Name> written = writtenIn(*l);
        const std::function<bool(Name)> isWritten = [&](Name n) { return written.count(n) != 0; };
        const std::function<bool(Name)> isWrittenLater = [&, block = outermost(*l)](Name n) { return writers.writeFrom(block, n); };
        std::vector<std::pair<Name, std::string>> values;
        for (std::optional<Code> *c : {&l->init, &l->condition}) {
            const auto &changes = c == &l->init ? isWritten : isWrittenLater;
            const auto named = py::replace(py::parseBlockOrRaw((*c)->text), [&](const py::ExprRef &e) -> py::ExprRef {
                const auto element = fixedElement(*e, *l, changes);
                if (!element)
                    return nullptr;
                const std::string text = py::print(*e);
                const auto known = std::find_if(values.begin(), values.end(), [&text](const auto &v) { return v.second == text; });
                if (known != values.end())
                    return py::name(known->first);
                const Name symbol = g.freshName(element->container.str() + "_value");
                g.symbols[symbol] = g.desc(element->container)->dtype;
                values.emplace_back(symbol, text);
                out.emplace(symbol, *element);
                return py::name(symbol);
            });
            (*c)->text = py::print(named);
        }
        if (!values.empty())
            for (InterstateEdge *e : l->parent()->addStateBefore(l, g.freshLabel("bounds"))->outEdges())
                e->assignments = values;
    }
    addAssigned(g, out);
    return out;
}

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

} // namespace

void nameRanges(SDFG &g) {
    std::map<Name, const State *> made;
    for (State *s : allStates(g)) {
        std::vector<std::pair<Name, std::string>> values;
        const ScopeTree scopes(*s);
        std::vector<Edge *> read;
        for (const auto &e : s->edges())
            if (isa<MapEntry>(e->dst) && !scopes.scopeOf(e->dst) && e->dstConn && !e->dstConn.view().starts_with("IN_"))
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
        if (!values.empty()) {
            s->renumber();
            for (InterstateEdge *e : s->parent()->addStateBefore(s, g.freshLabel("ranges"))->outEdges())
                e->assignments = values;
        }
    }
}

void nameSubsets(SDFG &g) {
    const sym::Assumptions facts = analysis::factsOf(g);
    const auto isArray = [](const DataDesc *d) {
        return analysis::isPlain(d) || (d && d->isView() && (d->isArray() || d->isScalar()));
    };
    for (State *s : allStates(g))
        for (const auto &e : s->edges()) {
            Memlet &m = e->memlet;
            if (!m.isEmpty() && !m.subset && isArray(g.desc(m.data)))
                m.subset = g.desc(m.data)->fullSubset();
            if (m.otherSubset || !analysis::isTransfer(*e))
                continue;
            const auto *from = cast<AccessNode>(pathSource(e.get())), *to = cast<AccessNode>(pathDestination(e.get()));
            const bool namesSource = dataIsSource(e.get());
            const DataDesc *named = g.desc(m.data), *other = g.desc(namesSource ? to->data : from->data);
            if (!isArray(named) || !isArray(other))
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
    return a && b && analysis::isPlain(a) && analysis::isPlain(b) && a->dtype == b->dtype && a->shape == b->shape &&
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
