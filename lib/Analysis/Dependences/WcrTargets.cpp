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

const WriteTracer::Uses &WriteTracer::uses(const SDFG &g) {
    auto [it, isNew] = uses_.try_emplace(&g);
    if (!isNew)
        return it->second;
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            const auto *access = dyn_cast<AccessNode>(n.get());
            if (!access)
                continue;
            Use &use = it->second[ownerOf(access->data)];
            std::vector<Node *> around = scopes(*s).enclosing(access);
            if (!use.state) {
                use.state = s;
                use.commonScopes = std::move(around);
            } else if (use.state != s) {
                use.severalStates = true;
            } else {
                std::erase_if(use.commonScopes,
                              [&](Node *scope) { return std::find(around.begin(), around.end(), scope) == around.end(); });
            }
        }
    return it->second;
}

/// Scopes around the write that are not in `outside`.
std::vector<Node *> WriteTracer::scopesWithin(const Cursor &c, const std::vector<Node *> &outside) {
    std::vector<Node *> around = scopes(*c.from->state()).enclosing(c.from);
    std::erase_if(around, [&](Node *n) { return std::find(outside.begin(), outside.end(), n) != outside.end(); });
    return around;
}

/// Goes from a view to the viewed container.
bool WriteTracer::throughView(Cursor &c) {
    const Edge *e = viewEdge(c.target);
    const AccessNode *viewed = viewedNode(c.target);
    const DataDesc *d = viewed ? viewed->state()->sdfg()->desc(viewed->data) : nullptr;
    if (!e || !d)
        return false;
    auto region = e->src == c.target ? destinationSubset(e) : sourceSubset(e);
    c = {e, c.target, viewed, {region ? *region : d->fullSubset()}, {}};
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
bool WriteTracer::throughConnector(Cursor &c) {
    const SDFG &g = *c.target->state()->sdfg();
    const NestedSDFGNode *node = g.parentNode;
    const Edge *e = node->outEdge(ownerOf(c.target->data));
    const auto *next = e ? dyn_cast<AccessNode>(pathDestination(e)) : nullptr;
    const DataDesc *outer = next ? next->state()->sdfg()->desc(next->data) : nullptr;
    const DataDesc *inner = g.desc(c.target->data);
    if (!outer || !inner)
        return false;
    auto region = destinationSubset(e);
    Cursor out{e, node, next, {region ? *region : outer->fullSubset()}, {}};
    std::set<Name> varying;
    if (auto exact = composed(*node, *inner, c.touched.back(), *outer, out.touched.front(), varying)) {
        out.touched.push_back(*exact);
        out.varying = std::move(varying);
    }
    c = std::move(out);
    return true;
}

WriteTarget WriteTracer::trace(const Edge &leaf) {
    WriteTarget t;
    Cursor c{&leaf, leaf.src, dyn_cast<AccessNode>(static_cast<const Node *>(pathDestination(&leaf))), {}, {}};
    auto push = [&](std::vector<Node *> scopes) {
        t.levels.push_back({c.edge, c.target, std::move(scopes), c.touched, c.varying});
    };
    // A chain of views and nested SDFGs is finite; a cycle of views in an invalid graph must not cause an endless loop.
    for (int step = 0; c.target && step < 10000; ++step) {
        const SDFG &g = *c.target->state()->sdfg();
        const DataDesc *d = g.desc(c.target->data), *owner = g.desc(ownerOf(c.target->data));
        if (!d || !owner || d->isReference())
            break;
        if (c.touched.empty()) {
            auto s = destinationSubset(&leaf);
            c.touched.push_back(s ? *s : d->fullSubset());
        }
        if (d->isView()) {
            push(scopesWithin(c, scopes(*c.target->state()).enclosing(c.target)));
            if (!throughView(c))
                break;
        } else if (owner->transient) {
            const Use &use = uses(g).at(ownerOf(c.target->data));
            bool isPrivate = owner->lifetime == Lifetime::Scope && !use.severalStates;
            push(scopesWithin(c, isPrivate ? use.commonScopes : std::vector<Node *>()));
            bool outlives = owner->lifetime == Lifetime::Global || owner->lifetime == Lifetime::Persistent ||
                            owner->lifetime == Lifetime::External;
            if (outlives && g.parentNode) {
                t.levels.push_back({c.edge, c.target, allScopesAround(g.parentNode), {owner->fullSubset()}, {}});
            }
            return t;
        } else if (g.isRoot()) {
            push(scopesWithin(c, {}));
            return t;
        } else {
            push(scopesWithin(c, {}));
            if (!throughConnector(c))
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
    if (!t || t->code.language != Language::Python)
        return false;
    const auto code = py::parseBlock(t->code.text);
    return code.value && py::usesOldValue(*code.value, write.srcConn, write.memlet.dynamic);
}

} // namespace sdfgc::analysis
