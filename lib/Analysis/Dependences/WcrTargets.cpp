#include "sdfgc/Analysis/Dependences/WcrTargets.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

const ScopeTree &WriteTracer::scopes(const State &s) {
    auto &tree = scopes_[&s];
    if (!tree)
        tree = std::make_unique<ScopeTree>(s);
    return *tree;
}

const std::vector<Edge *> &WriteTracer::writesTo(const State &s, Name container) {
    auto [it, isNew] = writes_.try_emplace(&s);
    if (isNew)
        for (const auto &e : s.edges())
            if (!e->src->isExit() && !e->memlet.isEmpty())
                if (const auto *target = dyn_cast<AccessNode>(pathDestination(e.get())))
                    it->second[ownerOf(target->data)].push_back(e.get());
    return it->second[container];
}

std::vector<Node *> WriteTracer::allScopesAround(const Node *n) {
    std::vector<Node *> out;
    while (n && n->state()) {
        std::vector<Node *> here = scopes(*n->state()).enclosing(n);
        out.insert(out.end(), here.begin(), here.end());
        n = n->state()->sdfg()->parentNode;
    }
    return out;
}

/// The innermost scope whose iterations share a container with the lifetime of a scope; null if it is the state, or if
/// several states use the container.
const Node *WriteTracer::scopeOfContainer(const SDFG &g, Name container) {
    auto [it, isNew] = uses_.try_emplace(&g);
    if (isNew)
        it->second = usesOfContainers(g);
    const ContainerUses &use = it->second.at(container);
    return use.severalStates ? nullptr : commonScope(use, scopes(*use.state));
}

/// Scopes around the write up to the one that stays, if any.
std::vector<Node *> WriteTracer::scopesWithin(const WriteLevel &l, const Node *outside) {
    std::vector<Node *> around = scopes(*l.from->state()).enclosing(l.from);
    around.erase(std::find(around.begin(), around.end(), outside), around.end());
    return around;
}

/// Goes from a view to the viewed container.
bool WriteTracer::throughView(WriteLevel &l) {
    const Edge *e = viewEdge(l.target);
    const AccessNode *viewed = viewedNode(l.target);
    const DataDesc *d = viewed ? viewed->state()->sdfg()->desc(viewed->data) : nullptr;
    if (!e || !d)
        return false;
    auto region = e->src == l.target ? destinationSubset(e) : sourceSubset(e);
    l = {e, l.target, viewed, {}, {region ? *region : d->fullSubset()}, {}};
    return true;
}

namespace {

bool isAssignedInside(SDFG &g, Name symbol) {
    for (const Region *r : allRegions(g)) {
        if (const auto *loop = dyn_cast<LoopRegion>(r); loop && loop->variable == symbol)
            return true;
        for (const auto &e : r->edges())
            for (const auto &[name, text] : e->assignments)
                if (name == symbol)
                    return true;
    }
    return false;
}

/// The inner subset in terms of the outer container, if both are indexed alike. Inner names are replaced with outer expressions;
/// names without one are renamed and reported in `varying`.
std::optional<sym::Subset> composed(const NestedSDFGNode &node, const DataDesc &inner, const sym::Subset &touched,
                                    const DataDesc &outer, const sym::Subset &region, std::set<Name> &varying) {
    if (touched.rank() != region.rank() || inner.strides.size() != touched.rank() || outer.strides.size() != touched.rank())
        return std::nullopt;
    std::map<Name, sym::Expr> meaning;
    auto addMeaning = [&](const std::set<Name> &names) {
        for (Name n : names) {
            const sym::Expr *mapped = isAssignedInside(*node.sdfg, n) ? nullptr : node.mapped(n);
            Name hidden("__varying_" + n.str());
            meaning.emplace(n, mapped ? *mapped : sym::Expr::symbol(hidden));
            if (!mapped)
                varying.insert(hidden);
        }
    };
    addMeaning(touched.freeSymbols());
    addMeaning(inner.freeSymbols());
    sym::Subset out = touched.substituted(meaning);
    for (std::size_t d = 0; d < out.rank(); ++d) {
        if (!(sym::substitute(inner.strides[d], meaning) == outer.strides[d]) || !region.dims[d].step.isOne() ||
            !inner.offset[d].isZero())
            return std::nullopt;
        out.dims[d].begin += region.dims[d].begin;
        out.dims[d].end += region.dims[d].begin;
    }
    return out;
}

} // namespace

/// Goes from an argument of a nested SDFG to the outer container.
bool WriteTracer::throughConnector(WriteLevel &l) {
    const SDFG &g = *l.target->state()->sdfg();
    const NestedSDFGNode *node = g.parentNode;
    const Edge *e = node->outEdge(ownerOf(l.target->data));
    const auto *next = e ? dyn_cast<AccessNode>(pathDestination(e)) : nullptr;
    const DataDesc *outer = next ? next->state()->sdfg()->desc(next->data) : nullptr;
    const DataDesc *inner = g.desc(l.target->data);
    if (!outer || !inner)
        return false;
    auto region = destinationSubset(e);
    WriteLevel out{e, node, next, {}, {region ? *region : outer->fullSubset()}, {}};
    std::set<Name> varying;
    if (auto exact = composed(*node, *inner, l.touched.back(), *outer, out.touched.front(), varying)) {
        out.touched.push_back(*exact);
        out.varying = std::move(varying);
    }
    l = std::move(out);
    return true;
}

WriteTarget WriteTracer::trace(const Edge &leaf) {
    WriteTarget t;
    WriteLevel l{&leaf, leaf.src, dyn_cast<AccessNode>(static_cast<const Node *>(pathDestination(&leaf))), {}, {}, {}};
    const auto push = [&](const Node *outside) {
        t.levels.push_back(l);
        t.levels.back().scopes = scopesWithin(l, outside);
    };
    // A chain of views and nested SDFGs is finite; a cycle of views in an invalid graph must not cause an endless loop.
    for (int step = 0; l.target && step < 10000; ++step) {
        const SDFG &g = *l.target->state()->sdfg();
        const Name container = ownerOf(l.target->data);
        const DataDesc *d = g.desc(l.target->data), *owner = g.desc(container);
        if (!d || !owner || d->isReference())
            break;
        if (l.touched.empty()) {
            auto s = destinationSubset(&leaf);
            l.touched.push_back(s ? *s : d->fullSubset());
        }
        if (d->isView()) {
            push(scopes(*l.target->state()).scopeOf(l.target));
            if (!throughView(l))
                break;
        } else if (owner->transient) {
            push(owner->lifetime == Lifetime::Scope ? scopeOfContainer(g, container) : nullptr);
            bool outlives = owner->lifetime == Lifetime::Global || owner->lifetime == Lifetime::Persistent ||
                            owner->lifetime == Lifetime::External;
            if (outlives && g.parentNode)
                t.levels.push_back({l.edge, l.from, l.target, allScopesAround(g.parentNode), {owner->fullSubset()}, {}});
            return t;
        } else {
            push(nullptr);
            if (g.isRoot())
                return t;
            if (!throughConnector(l))
                break;
        }
    }
    t.known = false;
    return t;
}

bool WriteTracer::encloses(const Node *scope, const Node *n) {
    std::vector<Node *> around = scopes(*n->state()).enclosing(n);
    return std::find(around.begin(), around.end(), scope) != around.end();
}

bool runsParallel(const Node *scope) { return isa<ConsumeEntry>(scope) || isParallel(*scheduleOf(scope)); }

const Node *outermostParallel(const std::vector<Node *> &scopes) {
    auto it = std::find_if(scopes.rbegin(), scopes.rend(), runsParallel);
    return it == scopes.rend() ? nullptr : *it;
}

const Edge *edgeLeaving(const Node *scope, const Edge &write) {
    const Node *exit = exitOf(scope);
    for (const Edge *e : memletPath(&write))
        if (e->src == exit)
            return e;
    return &write;
}

bool usesOldValue(const Edge &write) {
    const auto *t = dyn_cast<Tasklet>(write.src);
    if (!t || !t->code.isPython())
        return false;
    const Code::Block *code = t->code.block();
    return code && py::usesOldValue(*code, write.srcConn, write.memlet.dynamic);
}

} // namespace sdfgc::analysis
