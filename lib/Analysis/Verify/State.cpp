// Rules of entire states and of the nodes in them.
#include "Analysis/Symbols/ScopeNames.h"
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Symbols/RealSymbols.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Symbolic/Rounding.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

void Verifier::state(const State &s, Frame &f) {
    StateFrame sf(f, s);
    if (!sf.scopes.acyclic()) {
        report(Id::CyclicState, s);
        return; // paths and scopes mean nothing here
    }
    if (isKept())
        return levelOfNodes(sf);
    scopes(sf);
    for (const auto &n : s.nodes())
        node(*n, sf);
    for (const auto &e : s.edges())
        edge(*e, sf);
    initialization(sf);
    symbols(sf);
}

/// The rules of states that levels above Typed add.
void Verifier::levelOfNodes(const StateFrame &sf) {
    for (const auto &n : sf.s.nodes()) {
        levelOfNode(*n);
        if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
            enter(*nested, sf);
    }
}

void Verifier::scopes(const StateFrame &sf) {
    for (const ScopeProblem &p : sf.scopes.problems())
        report(Id::BrokenScope, *p.node, p.what);
    for (const auto &n : sf.s.nodes()) {
        const Node *exit = sf.scopes.exitOf(n.get()), *paired = nullptr;
        if (auto *m = dyn_cast<MapEntry>(n.get()))
            paired = m->exit;
        else if (auto *c = dyn_cast<ConsumeEntry>(n.get()))
            paired = c->exit;
        if (exit && paired != exit)
            report(Id::StalePairing, *n);
    }
}

namespace {

/// Names in the code of a library node (a stencil) and in its coefficients, except those that its connectors define. DaCe does not
/// treat them as free symbols of the graph (FreeSymbols.cpp), but the expansion of the node needs them.
void addCodeOf(const LibraryNode &n, const SDFG &g, std::unordered_set<Name> &used) {
    auto add = [&](const auto &names) {
        for (Name name : names)
            if (!n.inConnector(name) && !n.outConnector(name))
                used.insert(name);
    };
    const json::Value *code = n.properties.find("code");
    if (const json::Value *text = code ? code->get("string_data") : nullptr; text && text->isString())
        add(namesInTasklet({text->text(), Language::Python}, g));
    std::vector<std::string> coefficients;
    if (const auto how = combinationOf(n, {}))
        coefficients = {how->alpha, how->beta};
    if (const json::Value *factor = n.properties.find("factor"); factor && factor->isString())
        coefficients.push_back(factor->text());
    for (const std::string &text : coefficients)
        if (const auto parsed = sym::parse(text); parsed.expr)
            add(parsed.expr->freeSymbols());
        else
            add(namesInCode({text, Language::Python}, g));
}

/// Names in the subsets of an edge that is not an outer edge of a scope. Generated code needs only the start of some subsets (8.2),
/// and DaCe requires no more, but passes that move subsets need all of it.
void addSubsetsOf(const Edge &e, std::unordered_set<Name> &used) {
    if (isOuterEdge(e))
        return;
    for (const auto *s : {&e.memlet.subset, &e.memlet.otherSubset})
        if (*s)
            for (Name n : (*s)->freeSymbols())
                used.insert(n);
}

} // namespace

void Verifier::symbols(const StateFrame &sf) {
    std::unordered_set<Name> used;
    auto check = [&](const auto &at, const Node *scope) {
        std::set<Name> undefined; // sorted for stable output
        for (Name n : used)
            if (!sf.f.defined.count(n) && !definedByScope(sf.scopes, scope, n))
                undefined.insert(n);
        for (Name n : undefined)
            report(Id::SymbolNotDefined, at, n.str(), "");
        used.clear();
    };
    // A scalar is a value that expressions may read; for other containers they would take the address.
    auto checkValues = [&](const auto &at, const Node *scope) {
        std::set<Name> addresses;
        for (Name n : used)
            if (const DataDesc *d = sf.f.g.arrays.find(n); d && !d->isScalar() && !definedByScope(sf.scopes, scope, n))
                addresses.insert(n);
        for (Name n : addresses)
            report(Id::SymbolNotDefined, at, n.str(), ": it is a container but not a scalar");
    };
    for (const auto &n : sf.s.nodes()) {
        needed_.add(*n, used);
        if (auto *library = dyn_cast<LibraryNode>(n.get()))
            addCodeOf(*library, sf.f.g, used);
        if (isa<MapEntry>(n.get()) || isa<NestedSDFGNode>(n.get())) // others have names of code and of descriptors
            checkValues(*n, sf.scopes.scopeOf(n.get()));
        check(*n, sf.scopes.scopeOf(n.get()));
        readElements(*n, sf.f.g);
    }
    for (const auto &e : sf.s.edges()) {
        addSubsetsOf(*e, used);
        checkValues(*e, scopeOfEdge(sf.scopes, *e));
        check(*e, scopeOfEdge(sf.scopes, *e));
        for (const auto *s : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*s)
                for (const sym::Range &r : (*s)->dims)
                    readElements(r, *e, sf.f.g);
    }
}

void Verifier::readElements(const Node &n, const SDFG &g) {
    if (auto *m = dyn_cast<MapEntry>(&n)) {
        for (const sym::Range &r : m->ranges)
            readElements(r, n, g);
        if (m->gpuBlockSize)
            for (sym::Expr e : *m->gpuBlockSize)
                readElement(e, n, g);
    } else if (auto *c = dyn_cast<ConsumeEntry>(&n)) {
        readElement(c->numPes, n, g);
    } else if (auto *nested = dyn_cast<NestedSDFGNode>(&n)) {
        for (const auto &[name, value] : nested->symbolMapping)
            readElement(value, n, g);
    }
}

template <class Element> void Verifier::readElements(const sym::Range &r, const Element &at, const SDFG &g) {
    for (sym::Expr e : {r.begin, r.end, r.step, r.tile}) {
        readElement(e, at, g);
        if (const auto real = realPartOf(e, g))
            report(Id::RealSize, at, real->str(), e.str());
    }
}

std::optional<sym::Expr> Verifier::realPartOf(sym::Expr e, const SDFG &g) {
    const auto isReal = [&](Name n) {
        const Type *t = g.symbols.find(n);
        if (!t || !t->isFloat())
            return false;
        const auto [known, isNew] = integersDeclaredReal_.try_emplace(&g);
        if (isNew)
            known->second = integersDeclaredReal(g);
        return known->second.count(n) == 0;
    };
    return sym::realPart(e, isReal) ? sym::realPart(sym::inIntegers(sym::exact(e)), isReal) : std::nullopt;
}

bool Verifier::hasElementOrCall(sym::Expr e) {
    if (e.operands().empty() && e.kind() != sym::SymbolicKind::Call)
        return false;
    auto [it, fresh] =
        elementsOrCalls_.try_emplace(e, e.kind() == sym::SymbolicKind::Subscript || e.kind() == sym::SymbolicKind::Call);
    if (!fresh || it->second)
        return it->second;
    const bool inside = std::any_of(e.operands().begin(), e.operands().end(), [&](sym::Expr o) { return hasElementOrCall(o); });
    return elementsOrCalls_[e] = inside;
}

void Verifier::node(const Node &n, StateFrame &sf) {
    const SDFG &g = sf.f.g;
    labels(n);
    if (n.inEdges().empty() && n.outEdges().empty() && !n.isCode())
        report(Id::IsolatedNode, n);
    connectors(n, g);
    if (atLeast(Level::Typed))
        levelOfNode(n);
    switch (n.kind()) {
    case NodeKind::Tasklet:
        return tasklet(static_cast<const Tasklet &>(n), g);
    case NodeKind::Access:
        return access(static_cast<const AccessNode &>(n), sf);
    case NodeKind::MapEntry:
        return map(static_cast<const MapEntry &>(n));
    case NodeKind::ConsumeEntry:
        return consume(static_cast<const ConsumeEntry &>(n));
    case NodeKind::NestedSDFG:
        return nested(static_cast<const NestedSDFGNode &>(n), sf);
    default:
        return;
    }
}

void Verifier::labels(const Node &n) {
    const char *what = n.kind() == NodeKind::Tasklet      ? "tasklet"
                       : n.kind() == NodeKind::NestedSDFG ? "nested SDFG"
                       : n.kind() == NodeKind::MapEntry   ? "map"
                                                          : nullptr;
    if (what && !isName(n.label))
        report(Id::NotAnIdentifier, n, what, n.label);
    if (auto *m = dyn_cast<MapEntry>(&n))
        for (Name p : m->params)
            if (!isSymbolName(p.view()))
                report(Id::NotAnIdentifier, n, "parameter", p.str());
}

void Verifier::levelOfNode(const Node &n) {
    if (const Schedule *s = scheduleOf(&n); s && *s == Schedule::Default)
        report(Id::UndecidedSchedule, n);
    if (auto *l = dyn_cast<LibraryNode>(&n); l && atLeast(Level::Expanded))
        if (!isCopyNode(*l) && !isFillNode(*l) && !asyncOp(*l))
            report(Id::UnexpandedNode, n, l->className());
}

void Verifier::map(const MapEntry &m) {
    if (m.ordered && m.schedule != Schedule::Sequential)
        report(Id::OrderedInParallel, m, name(m.schedule));
    if (m.params.empty() || m.params.size() != m.ranges.size()) {
        report(Id::MapParameters, m, m.params.size(), m.ranges.size());
        return;
    }
    for (std::size_t d = 0; d < m.params.size(); ++d) {
        const sym::Range &r = m.ranges[d];
        if (isUndefined(r))
            report(Id::UndefinedRange, m, sym::Subset{{r}}.str(), m.params[d].str());
        else if (auto step = r.step.asInt(); step && (m.ordered ? *step == 0 : *step <= 0))
            report(Id::MapStep, m, m.params[d].str(), *step);
        else if (auto size = r.steps().asInt();
                 warns() && size && *size <= 0 && m.schedule != Schedule::GPU_Persistent) // it ignores them
            report(Id::EmptyMapRange, m, sym::Subset{{r}}.str(), m.params[d].str());
    }
}

void Verifier::consume(const ConsumeEntry &c) {
    const Name in = scopeInput("stream"), out = scopeOutput("stream");
    if (!c.inConnector(in))
        report(Id::ConsumeWithoutStream, c, in.str());
    if (!c.outConnector(out))
        report(Id::ConsumeWithoutStream, c, out.str());
}

namespace {

/// Do views lead from a view back to itself, or into such a cycle?
bool looksAtItself(const AccessNode &view) {
    const SDFG &g = *view.state()->sdfg();
    std::unordered_set<const AccessNode *> seen;
    const AccessNode *n = &view;
    while (n && seen.insert(n).second) {
        const DataDesc *d = g.desc(n->data);
        if (!d || !d->isView())
            return false;
        n = viewedNode(n);
    }
    return n != nullptr;
}

} // namespace

void Verifier::access(const AccessNode &n, StateFrame &sf) {
    const SDFG &g = sf.f.g;
    const DataDesc *d = g.desc(n.data);
    if (!d) {
        report(Id::UnknownContainer, n, n.data.str(), suggestion(n.data, containerNames(g)));
        return;
    }
    const auto writes = [](const Edge *e) { return !e->memlet.isEmpty(); };
    if (g.constants.contains(n.data) && std::any_of(n.inEdges().begin(), n.inEdges().end(), writes))
        constantWritten(n, n.data);
    if (d->isView()) {
        std::string why;
        const Edge *e = viewEdge(&n, &why);
        if (!e)
            report(Id::InvalidView, n, n.data.str(), why);
        else if (looksAtItself(n))
            report(Id::InvalidView, n, n.data.str(), "it is a view of views of itself");
        else if (!why.empty() && warns())
            report(Id::AmbiguousView, n, n.data.str(), why);
    }
    const DataDesc *owner = g.desc(ownerOf(n.data)); // members are never transient themselves
    if (g.parentNode && owner && !owner->transient)
        accessInNested(n, sf);
}

/// The arguments of a nested SDFG are its connectors.
void Verifier::accessInNested(const AccessNode &n, const StateFrame &sf) {
    const NestedSDFGNode &holder = *sf.f.g.parentNode;
    Name root(n.data.view().substr(0, n.data.view().find('.')));
    const bool output = holder.outConnector(root) != nullptr;
    if (!output && !holder.inConnector(root))
        report(Id::ArgumentNotPassed, n, root.str());
    else if (!output && std::any_of(n.inEdges().begin(), n.inEdges().end(), [](const Edge *e) { return !e->memlet.isEmpty(); }))
        report(Id::WriteToInput, n, root.str());
}

void Verifier::initialization(const StateFrame &sf) {
    Frame &f = sf.f;
    auto isSet = [](const AccessNode *n) {
        return std::any_of(n->inEdges().begin(), n->inEdges().end(), [](const Edge *e) { return e->dstConn == Name("set"); });
    };
    for (const Node *n : sf.scopes.order()) {
        auto *access = dyn_cast<AccessNode>(n);
        const DataDesc *d = access ? f.g.desc(access->data) : nullptr;
        if (!d || f.initialized.count(access->data))
            continue;
        if (d->isReference()) {
            if (isSet(access))
                f.initialized.insert(access->data);
            else
                report(Id::ReferenceNotSet, *n, access->data.str());
        } else if (d->transient) {
            const bool keeps = d->lifetime == Lifetime::Persistent || d->lifetime == Lifetime::External;
            if (n->inEdges().empty() && !n->outEdges().empty() && !d->isStream() && !d->isView() && !keeps && !access->setZero &&
                warns())
                report(Id::UninitializedTransient, *n, access->data.str());
            if (!n->inEdges().empty() || access->setZero)
                f.initialized.insert(access->data);
        }
    }
}

} // namespace sdfgc::analysis
