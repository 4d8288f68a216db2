#include "sdfgc/Validate/Reductions.h"

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Types.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <set>

namespace sdfgc::validate {

Reductions &Reductions::operator|=(const Reductions &other) {
    compares |= other.compares;
    multiplies |= other.multiplies;
    rounds |= other.rounds;
    unordered |= other.unordered;
    return *this;
}

namespace {

Reductions of(py::Reduction kind, Type type, bool unordered) {
    Reductions out;
    out.compares = kind == py::Reduction::Min || kind == py::Reduction::Max || kind == py::Reduction::MinLocation ||
                   kind == py::Reduction::MaxLocation;
    out.multiplies = kind == py::Reduction::Product;
    out.rounds = py::orderCounts(kind, type);
    out.unordered = unordered && (out.compares || out.rounds);
    return out;
}

/// A function that is not a known reduction may perform any operation in its text.
Reductions of(std::string_view function, Type type, bool unordered) {
    if (function.empty())
        return {};
    const auto parsed = py::parseWcr(function);
    const py::Reduction kind = parsed.value ? parsed.value->kind : py::Reduction::Custom;
    Reductions out = of(kind, type, unordered);
    if (kind != py::Reduction::Custom)
        return out;
    const auto has = [function](std::string_view word) { return function.find(word) != std::string_view::npos; };
    out.compares = has("max") || has("min") || has(" if ") || has("<") || has(">");
    out.multiplies = has("*");
    return out;
}

Type typeOf(const ir::SDFG &g, Name container) {
    const ir::DataDesc *d = g.arrays.find(container);
    return d ? d->dtype : Type(ScalarKind::Float64);
}

bool isParallel(const ir::Node &entry) {
    const ir::Schedule *schedule = ir::scheduleOf(&entry);
    return schedule && *schedule != ir::Schedule::Sequential && *schedule != ir::Schedule::Unrolled;
}

/// Is the node in a scope whose iterations are unordered?
bool inParallel(const ir::ScopeTree &scopes, const ir::Node *n) {
    for (const ir::Node *entry = scopes.scopeOf(n); entry; entry = scopes.scopeOf(entry))
        if (isParallel(*entry))
            return true;
    return false;
}

bool hasExtremum(const py::Expr &e) {
    const bool isCall = e.kind == py::ExprKind::Call && e.args[0]->kind == py::ExprKind::Name;
    const std::string_view f = isCall ? e.args[0]->name.view() : std::string_view();
    return f == "min" || f == "max" || f == "Min" || f == "Max" ||
           std::any_of(e.args.begin(), e.args.end(), [](const py::ExprRef &a) { return a && hasExtremum(*a); });
}

/// Does a loop keep a minimum or maximum, in a single number that it also writes? The pass loops-to-maps may take it in any order.
bool keepsExtremum(const ir::LoopRegion &l) {
    const ir::SDFG &g = *l.sdfg();
    std::set<Name> written;
    for (const ir::State *s : ir::allStates(l))
        for (const ir::AccessNode *a : ir::nodesOf<ir::AccessNode>(*s))
            if (const ir::DataDesc *d = a->inEdges().empty() ? nullptr : g.desc(a->data);
                d && d->dtype.isFloat() && d->numElements().isOne())
                written.insert(a->data);
    for (const ir::State *s : ir::allStates(l))
        for (const ir::Tasklet *t : ir::nodesOf<ir::Tasklet>(*s)) {
            const bool readsOne = std::any_of(t->inEdges().begin(), t->inEdges().end(),
                                              [&](const ir::Edge *e) { return written.count(e->memlet.data) != 0; });
            for (const py::StmtRef &line : readsOne ? t->code.blockOrRaw() : std::vector<py::StmtRef>())
                if (line->value && hasExtremum(*line->value))
                    return true;
        }
    for (const ir::Region *r : ir::allRegions(l))
        for (const auto &e : r->edges())
            for (const auto &[symbol, text] : e->assignments)
                if (const Type *type = g.symbols.find(symbol); type && type->isFloat()) {
                    const py::ExprRef value = py::parseExprOrRaw(text);
                    if (hasExtremum(*value) && py::freeNames(*value).count(symbol))
                        return true;
                }
    return false;
}

/// `within`: the entire graph is in such a scope.
Reductions reductionsOf(const ir::SDFG &g, bool within) {
    Reductions out;
    for (const ir::Region *r : ir::allRegions(g))
        if (const auto *l = dyn_cast<ir::LoopRegion>(r))
            out.compares |= keepsExtremum(*l);
    for (const ir::State *state : ir::allStates(g)) {
        const ir::ScopeTree scopes(*state);
        for (const auto &edge : state->edges())
            if (!edge->memlet.wcr.empty())
                out |= of(edge->memlet.wcr, typeOf(g, edge->memlet.data), within || inParallel(scopes, edge->src));
        for (const ir::LibraryNode *node : ir::nodesOf<ir::LibraryNode>(*state))
            if (const json::Value *function = node->properties.find("wcr"))
                for (const ir::Edge *e : node->outEdges())
                    out |= of(function->text(), typeOf(g, e->memlet.data), true);
        for (const ir::NestedSDFGNode *n : ir::nodesOf<ir::NestedSDFGNode>(*state))
            out |= reductionsOf(*n->sdfg, within || inParallel(scopes, n));
    }
    return out;
}

Reductions reductionsOf(const tree::Block &b) {
    Reductions out;
    for (const tree::NodePtr &n : b.body) {
        if (const auto *u = dyn_cast<tree::Update>(n.get()))
            out |= of(u->reduction, u->value->type, u->atomic || u->byBlock);
        if (const auto *f = dyn_cast<tree::For>(n.get())) {
            for (const tree::Omp::Reduction &r : f->accumulators)
                out |= of(r.kind, ScalarKind::Float64, false);
            if (f->omp)
                for (const tree::Omp::Reduction &r : f->omp->reductions)
                    out |= of(r.kind, ScalarKind::Float64, true);
        }
        tree::forEachBlock(std::as_const(*n), [&out](const tree::Block &inside) { out |= reductionsOf(inside); });
    }
    return out;
}

/// `within`: as above; then a stream of the graph may be one of the surrounding graph.
Name streamInAnyOrder(const ir::SDFG &g, bool within) {
    for (const ir::State *state : ir::allStates(g)) {
        const ir::ScopeTree scopes(*state);
        for (const auto &edge : state->edges()) {
            const auto *access = dyn_cast<ir::AccessNode>(edge->dst);
            const ir::DataDesc *d = access ? g.arrays.find(access->data) : nullptr;
            if (d && d->isStream() && !edge->memlet.isEmpty() &&
                (inParallel(scopes, ir::pathSource(edge.get())) || (within && !d->transient)))
                return access->data;
        }
        for (const ir::NestedSDFGNode *n : ir::nodesOf<ir::NestedSDFGNode>(*state))
            if (const Name found = streamInAnyOrder(*n->sdfg, within || inParallel(scopes, n)))
                return found;
    }
    return {};
}

/// Does an argument of a nested SDFG have another rank or other strides than the outer container?
bool isReshaped(const ir::SDFG &g, const ir::NestedSDFGNode &n) {
    for (const auto &[name, inner] : n.sdfg->arrays) {
        if (inner.transient)
            continue;
        const auto differs = [&](const ir::Edge *e, Name connector) {
            const ir::DataDesc *outer = g.arrays.find(e->memlet.data);
            return connector == name && outer && !(outer->shape == inner.shape);
        };
        for (const ir::Edge *e : n.inEdges())
            if (differs(e, e->dstConn))
                return true;
        for (const ir::Edge *e : n.outEdges())
            if (differs(e, e->srcConn))
                return true;
    }
    return false;
}

/// Is it memory that a device cannot access, if the container is declared outside of kernels?
bool isHostMemory(const ir::SDFG &g, Name data) {
    const ir::DataDesc *d = g.desc(data);
    return d && !d->isScalar() && (d->storage == ir::Storage::Default || d->storage == ir::Storage::CPU_Heap);
}

} // namespace

bool givesHostMemoryToKernels(const ir::SDFG &graph) {
    for (const ir::SDFG *g : ir::allSDFGs(graph))
        for (const ir::State *state : ir::allStates(*g))
            for (const ir::MapEntry *m : ir::nodesOf<ir::MapEntry>(*state)) {
                if (!ir::isKernelSchedule(m->schedule))
                    continue;
                const auto isOfHost = [&](const ir::Edge *e) { return isHostMemory(*g, e->memlet.data); };
                if (std::any_of(m->inEdges().begin(), m->inEdges().end(), isOfHost) ||
                    (m->exit && std::any_of(m->exit->outEdges().begin(), m->exit->outEdges().end(), isOfHost)))
                    return true;
            }
    return false;
}

Reductions reductionsOf(const ir::SDFG &graph) { return reductionsOf(graph, false); }

Reductions reductionsOf(const tree::Module &tree) {
    Reductions out;
    for (const auto &f : tree.functions)
        out |= reductionsOf(f->body);
    return out;
}

Name streamInAnyOrder(const ir::SDFG &graph) { return streamInAnyOrder(graph, false); }

bool reshapesMemory(const ir::SDFG &graph) {
    for (const ir::SDFG *g : ir::allSDFGs(graph)) {
        for (const auto &[name, d] : g->arrays)
            if (d.isView() || d.isReference())
                return true;
        for (const ir::State *state : ir::allStates(*g))
            for (const ir::NestedSDFGNode *n : ir::nodesOf<ir::NestedSDFGNode>(*state))
                if (isReshaped(*g, *n))
                    return true;
    }
    return false;
}

} // namespace sdfgc::validate
