// Containers that iterations of a loop only update (BodyReductions.h).
#include "Transforms/Optimize/BodyReductions.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/LoopItems.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::BodyUse;
using nest::UseKind;

namespace {

std::vector<Edge *> carrying(const std::vector<Edge *> &edges) {
    std::vector<Edge *> out;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(out),
                 [](const Edge *e) { return !e->memlet.isEmpty() && !analysis::isViewing(*e); });
    return out;
}

} // namespace

bool BodyReductions::addContainer(Name container, const nest::LoopBody &body) {
    if (isCollected(container))
        return addCollected(container, body);
    const DataDesc *d = g_.desc(container);
    if (!analysis::isPlain(d) || !analysis::isOnHost(d) || ownerOf(container) != container || !isUpdatable(d->dtype))
        return false;
    Reduction r;
    r.name = container;
    r.type = d->dtype;
    const analysis::Memory memory = memories_.of(g_, container);
    std::size_t raw = 0; // accesses that do not resolve conflicts
    for (const BodyUse &u : body.uses) {
        if (u.place.memory != memory)
            continue;
        if (u.data != container)
            return false;
        if (u.kind != UseKind::Update)
            ++raw;
        else if (u.wcr.empty() || !agree(r, u.wcr))
            return false;
    }
    const bool isOne = d->numElements().isOne();
    if (!r.wcr.empty()) {
        const py::Reduction kind = kindOfUpdate(r.wcr);
        if (!isOne || !analysis::hasClause(kind, r.type) || (py::orderCounts(kind, r.type) && !order_.openSums))
            return false;
        if (raw == 0)
            return take(std::move(r));
    }
    const Accesses accesses = accessesOf(container);
    Reduction set = r;
    if (r.wcr.empty() && setsContainer(set, accesses) && raw == accesses.writes.size())
        return take(std::move(set));
    if (!isOne)
        return false;
    Reduction combined = r;
    if (combinesContainer(combined, accesses) && raw == accesses.reads.size() + accesses.writes.size())
        return take(std::move(combined));
    return testsContainer(r, accesses) && raw == accesses.writes.size() + r.tests.size() && take(std::move(r));
}

/// Those next to a container's nodes outside of scopes.
BodyReductions::Accesses BodyReductions::accessesOf(Name container) const {
    Accesses out;
    for (State *s : allStates(loop_)) {
        const ScopeTree scopes(*s);
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (a->data != container || scopes.scopeOf(a))
                continue;
            for (Edge *e : carrying(a->outEdges()))
                out.reads.push_back(e);
            for (Edge *e : carrying(a->inEdges()))
                if (e->memlet.wcr.empty() && (isa<Tasklet>(e->src) || isa<AccessNode>(e->src)))
                    out.writes.push_back(e);
        }
    }
    return out;
}

bool BodyReductions::setsContainer(Reduction &r, const Accesses &a) const {
    r.form = Form::Sets;
    std::set<Name> moving = analysis::assignedInside(loop_);
    moving.insert(loop_.variable);
    for (Edge *e : a.writes) {
        const auto *t = dyn_cast<Tasklet>(e->src);
        const auto element = destinationSubset(e);
        const py::ExprRef value = t ? valueOf(*t, e->srcConn) : nullptr;
        if (!value || !isLiteral(*value) || !element || !element->isOneElement() || e->dst->inEdges().size() != 1 ||
            !carrying(e->dst->outEdges()).empty() || carrying(t->outEdges()).size() != 1)
            return false;
        if (!r.constant) {
            r.constant = value;
            r.element = *element;
        }
        const std::set<Name> names = element->freeSymbols();
        if (!py::equal(*value, *r.constant) || !(*element == r.element) ||
            std::any_of(names.begin(), names.end(), [&](Name n) { return moving.count(n) || g_.desc(n); }))
            return false;
        r.stores.push_back({e, cast<Tasklet>(e->src), e->srcConn, nullptr, {}, value});
    }
    return r.constant && a.reads.empty();
}

bool BodyReductions::combinesContainer(Reduction &r, const Accesses &a) const {
    r.form = Form::Combines;
    std::set<const Edge *> taken;
    for (Edge *e : a.writes) {
        std::optional<Store> s = storeOf(*e, r);
        if (!s || !taken.insert(s->read).second)
            return false;
        const py::ExprRef value = valueOf(*s->combines, s->output);
        const auto f = updateFunctionOf(
            value, s->value->name, r.type, [this, &s](const py::ExprRef &x) { return typeOf(x, s->combines); }, order_);
        if (!f || !agree(r, f->wcr))
            return false;
        s->value = f->other;
        r.stores.push_back(std::move(*s));
    }
    return !r.stores.empty() && taken.size() == a.reads.size();
}

/// The chain that leads to a store: copies through temporaries, and the tasklet that reads the old value. `value` is then the
/// connector of the old value.
std::optional<BodyReductions::Store> BodyReductions::storeOf(Edge &write, const Reduction &r) const {
    Store out;
    out.write = &write;
    for (const Edge *at = &write;;) {
        const auto *t = dyn_cast<Tasklet>(at->src);
        const AccessNode *from = dyn_cast<AccessNode>(at->src);
        if (t) {
            const py::ExprRef value = valueOf(*t, at->srcConn);
            const Connector *made = t->outConnector(at->srcConn);
            if (!value || carrying(t->outEdges()).size() != 1 || (made && made->type && !(made->type == r.type)))
                return std::nullopt;
            if (value->kind != py::ExprKind::Name || !t->inEdge(value->name)) {
                out.combines = cast<Tasklet>(at->src);
                out.output = at->srcConn;
                return readsOld(*t, r, out) ? std::optional(out) : std::nullopt;
            }
            from = seeType(*t, value->name, at->srcConn, r.type) ? dyn_cast<AccessNode>(t->inEdge(value->name)->src) : nullptr;
        }
        if (!isTemporary(from, r.type))
            return std::nullopt;
        at = from->inEdges().front();
    }
}

/// Finds the connector at which a tasklet reads the old value, directly or through temporaries.
bool BodyReductions::readsOld(const Tasklet &t, const Reduction &r, Store &out) const {
    for (Edge *in : carrying(t.inEdges())) {
        std::vector<Node *> copies;
        Edge *at = in;
        for (;;) {
            auto *from = dyn_cast<AccessNode>(at->src);
            if (const auto *copy = dyn_cast<Tasklet>(at->src)) {
                const py::ExprRef value = valueOf(*copy, at->srcConn);
                const bool copiesOne = value && value->kind == py::ExprKind::Name && carrying(copy->inEdges()).size() == 1 &&
                                       copy->inEdges().size() == 1 && copy->outEdges().size() == 1 &&
                                       copy->inEdges().front()->dstConn == value->name &&
                                       seeType(*copy, value->name, at->srcConn, r.type);
                if (!copiesOne)
                    break;
                copies.push_back(at->src);
                at = copy->inEdges().front();
                continue;
            }
            if (from && from->data == r.name) {
                const Connector *c = t.inConnector(in->dstConn);
                if (out.read || !c || (c->type && !(c->type == r.type)))
                    return false;
                out.read = at;
                out.copies = copies;
                out.value = py::name(in->dstConn);
                break;
            }
            if (!isTemporary(from, r.type))
                break;
            copies.push_back(at->src);
            at = from->inEdges().front();
        }
    }
    return out.read != nullptr;
}

/// Is it the only use of a variable that passes one value on?
bool BodyReductions::isTemporary(const Node *n, Type type) const {
    const auto *a = n ? dyn_cast<AccessNode>(n) : nullptr;
    const DataDesc *d = a ? g_.desc(a->data) : nullptr;
    if (!d || !nest::isScratch(*d) || !d->numElements().isOne() || !(d->dtype == type) || a->inEdges().size() != 1 ||
        a->outEdges().size() != 1 || carrying(a->inEdges()).size() != 1 || carrying(a->outEdges()).size() != 1 ||
        !a->inEdges().front()->memlet.wcr.empty() || analysis::containersReadByControlFlow(g_).count(a->data))
        return false;
    std::size_t uses = 0;
    for (const State *s : allStates(std::as_const(g_)))
        for (const AccessNode *other : nodesOf<AccessNode>(*s))
            uses += ownerOf(other->data) == a->data;
    return uses == 1;
}

bool BodyReductions::testsContainer(Reduction &r, const Accesses &a) const {
    r.form = Form::Tests;
    r.tests = testsOf(r.name);
    if (r.tests.empty() || r.tests.size() != a.writes.size() || !a.reads.empty() || (r.type.isFloat() && !order_.extrema))
        return false;
    for (const Test &t : r.tests) {
        Region &arm = *t.block->branches()[t.arm].region;
        State *s = onlyState(arm);
        if (!s || assignmentsIn(arm) != 0 || !agree(r, functionOf(t)) || !(typeOf(t.value, nullptr) == r.type))
            return false;
        Tasklet *only = nullptr;
        for (const auto &n : s->nodes()) {
            auto *tasklet = dyn_cast<Tasklet>(n.get());
            if ((!tasklet && !isa<AccessNode>(n.get())) || (tasklet && only))
                return false;
            only = tasklet ? tasklet : only;
        }
        const auto write = std::find_if(a.writes.begin(), a.writes.end(), [only](const Edge *e) { return only && e->src == only; });
        if (write == a.writes.end() || carrying(only->outEdges()).size() != 1 || (*write)->dst->inEdges().size() != 1)
            return false;
        const py::ExprRef value = valueOf(*only, (*write)->srcConn);
        const py::ExprRef stored = value
                                       ? py::replace(value,
                                                     [&](const py::ExprRef &e) {
                                                         return e->kind == py::ExprKind::Name ? loadedBy(*only, e->name) : nullptr;
                                                     })
                                       : nullptr;
        const Connector *made = only->outConnector((*write)->srcConn);
        if (!stored || !isSameValue(stored, t.value) || (made && made->type && !(made->type == r.type)))
            return false;
        r.stores.push_back({*write, only, (*write)->srcConn, nullptr, {}, value});
    }
    return true;
}

} // namespace sdfgc::transforms
